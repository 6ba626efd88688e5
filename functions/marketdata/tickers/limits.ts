/** The coins that one request may name. */
export const MAX_COINS = 100;
/** The coins on a page of the list. */
export const MAX_PAGE = 250;
