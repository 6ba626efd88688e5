/** Why a coin has no data: what the provider does not have is remembered, so that equal requests pay nothing. */
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
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

/** 503 for a coin whose stored history cannot be opened: fetching many such coins would spend the day's quota. */
export function damaged(id: string): ApiError {
  return new ApiError(503, `The stored history of ${id} cannot be read and waits to be restored`);
}

/** 404 for a coin without data anywhere, or none in the requested time. */
export async function noHistory(environment: Environment, id: string): Promise<ApiError> {
  const { lastPriceText } = await import('./last-price.ts');
  const last = await lastPriceText(environment, id);
  return ApiError.notFound(
    last === undefined
      ? `No price history of ${id}: the provider no longer follows it, and none was kept from when it did`
      : `No price history of ${id} in this time: the provider no longer follows it; ${last}`,
  );
}
