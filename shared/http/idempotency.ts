/** What a caller is told of `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), on routes that take it. */

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** Visible ASCII. A header that is given twice comes joined with a comma, so that a key may hold none. */
export const IDEMPOTENCY_KEY_PATTERN = '^[!-+.-~-]{1,255}$';
export const ALLOWED_KEY = '1 to 255 visible ASCII characters other than a comma';

/** For the `failures` of such a route. */
export const idempotencyFailures = {
  409: 'A request with the same `Idempotency-Key` is still at work; `Retry-After` says when to come back',
  422: 'In the last 24 hours the same `Idempotency-Key` came with other input',
} as const;
