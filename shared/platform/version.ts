/** This project's version, for the `User-Agent` of upstream requests; a test compares it with package.json. */
export const version = '0.3.0';
