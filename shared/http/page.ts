/** The web page's name, and the headers of its files on any host. */

/** The name of the site and the sentence that search engines show; `client/web/public/favicon.svg` is its mark. */
export const brand = {
  name: 'Tickline',
  description: 'Prices and charts of crypto assets: compared between exchanges, dated, and never invented.',
} as const;

/** Below it the function `page/html` serves paths of the site that are not files. */
export const PAGE_PREFIX = '/page';

/**
 * Only the page's own files and its own API: no inline script or style, no other origin, no frame around it. Trusted Types
 * close the remaining ways for a text to become markup.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Response headers of every file of the page; lower-case names. */
export const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** Media types by the extension of a file's name. */
const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

/** Vite puts a hash of the content into the names of the files in `assets/`: those never change. */
export const cacheControl = {
  page: 'no-cache',
  assets: 'public, max-age=31536000, immutable',
} as const;

/** The headers of a file of the page, by its path such as `/assets/index-abc.js`. */
export function fileHeaders(path: string): Record<string, string> {
  return {
    ...pageHeaders,
    'content-type': contentTypes[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'cache-control': path.startsWith('/assets/') ? cacheControl.assets : cacheControl.page,
  };
}
