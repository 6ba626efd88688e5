/** `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), on routes that accept it. */
import { ApiError } from './errors.ts';
import { type PipelineMiddleware, type PipelineRequest, stateOf } from './middleware/pipeline-request.ts';
import type { RuntimeRoute } from './route.ts';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** Visible ASCII without commas, because a header that is sent twice arrives joined with a comma. */
export const IDEMPOTENCY_KEY_PATTERN = '^[!-+.-~-]{1,255}$';
export const ALLOWED_KEY = '1 to 255 visible ASCII characters other than a comma';

/** The `failures` of such a route. */
export const idempotencyFailures = {
  422: 'The same `Idempotency-Key` was used with other input in the last 24 hours',
} as const;

/**
 * Reads the caller's `Idempotency-Key` on a route that says `idempotent`, and refuses with 400 one that cannot be used
 * or is sent twice. On other routes the header has no meaning.
 *
 * Ordering: after the rate limit, as part of the validation.
 */
export function idempotencyKey({ idempotent }: Pick<RuntimeRoute, 'idempotent'>): PipelineMiddleware[] {
  if (!idempotent) return [];
  const name = IDEMPOTENCY_HEADER.toLowerCase();
  const pattern = new RegExp(IDEMPOTENCY_KEY_PATTERN);

  const idempotencyKeyBefore = ({ event }: PipelineRequest): void => {
    const given = Object.entries(event.headers ?? {}).filter(([spelling]) => spelling.toLowerCase() === name);
    const [[, key = ''] = []] = given;
    if (given.length === 0) return;
    if (given.length > 1 || !pattern.test(key)) {
      throw new ApiError(400, `Invalid header ${IDEMPOTENCY_HEADER}; allowed: once, ${ALLOWED_KEY}`);
    }
    stateOf(event).idempotencyKey = key;
  };

  return [{ before: idempotencyKeyBefore }];
}
