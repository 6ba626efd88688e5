/** What a refusal is worth, by what the registry lists and what the provider gave before. */
import { ApiError } from '../../http/errors.ts';
import { lifetimes } from '../../marketdata/lifetimes.ts';
import { DoubtedRefusal, GoneCoin, PlanRefusal } from '../../marketdata/provider.ts';
import type { Kept, KeptRequest } from '../../marketdata/provider-client.ts';

/**
 * The error that a failure to ask is told as. `held` is the last good answer, `before` the failure of the one who asked
 * last.
 */
export function weighed<T>(
  error: unknown,
  { isActive, wasGiven }: KeptRequest<T>,
  held: Kept<T> | undefined,
  before: Error | undefined,
  title: string,
): unknown {
  if (!(error instanceof ApiError)) return error;
  const isUnknown = error.statusCode === 404;
  if (isActive === false && isUnknown) return new GoneCoin(404, error.message);
  if (!held || !isActive) return error;
  // A plan may refuse more than was given before without taking anything back.
  const isReversal = error instanceof PlanRefusal ? (wasGiven?.(held.data) ?? true) : isUnknown;
  return isReversal ? doubted(error, before, title) : error;
}

/**
 * A refusal of what the registry lists and the provider gave before, as long as it has been given only once: the same
 * a minute later is believed.
 */
function doubted(error: ApiError, before: Error | undefined, title: string): ApiError {
  const now = Date.now();
  const doubtedAt = before instanceof DoubtedRefusal ? before.at : Number.NEGATIVE_INFINITY;
  const age = now - doubtedAt;
  if (age >= lifetimes.doubtMs && age < lifetimes.doubtedForMs) return error;
  const at = age < lifetimes.doubtMs ? doubtedAt : now;
  return new DoubtedRefusal(`${title} refuses what it gave before (${error.message}): to be confirmed`, at);
}
