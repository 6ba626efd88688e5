/** Of this project, for the `User-Agent` of upstream requests; a test keeps it equal to package.json. */
export const version = '0.2.0';
