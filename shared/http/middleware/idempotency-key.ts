import { ApiError } from '../errors.ts';
import { ALLOWED_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY_PATTERN } from '../idempotency.ts';
import type { RuntimeRoute } from '../route.ts';
import { type PipelineMiddleware, type PipelineRequest, stateOf } from './pipeline-request.ts';

/**
 * On a route that says `idempotent`: reads the caller's `Idempotency-Key`, and refuses with 400 one that cannot be used
 * or is given twice. Elsewhere the header means nothing.
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
