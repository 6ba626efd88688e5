/** Of this project, for the `User-Agent` of upstream requests; a test holds it against package.json. */
export const version = '0.3.0';
