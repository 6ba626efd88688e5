/** The instants that one request may ask for. */
export const MAX_INSTANTS = 100;
