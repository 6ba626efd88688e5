/** What the provider does not have of a coin: it is remembered, so that equal requests pay nothing. */
import { ApiError } from '../../http/errors.ts';
import { elapsedMs } from '../../platform/time.ts';
import { lifetimes } from '../freshness.ts';
import type { Refusal } from '../store/coin-object.ts';

/** Throws a stored refusal that is still valid. A clock that was set back does not make it last. */
export function throwIfRefused(refusal: Refusal | undefined): void {
  if (refusal && elapsedMs(refusal.at) < refusal.until - refusal.at)
    throw new ApiError(refusal.status, refusal.message);
}

/** How long a 404 is valid. A coin that is no longer traded rarely comes back; one outside the registry may be new. */
export function refusedMs(isActive: boolean | undefined): number {
  if (isActive === undefined) return lifetimes.unknownCoinMs;
  return isActive ? lifetimes.refusalMs : lifetimes.inactiveMs;
}
