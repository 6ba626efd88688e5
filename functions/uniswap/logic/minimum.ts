import { ApiError } from '../../../shared/http/errors.ts';

/** What the caller accepts. */
export interface Bounds {
  /** Hundredths of a percent by which the price may get worse. */
  readonly slippageBps: number;
  /** In base units of the output, in place of what `slippageBps` makes. */
  readonly minAmountOut?: bigint;
  readonly maxPriceImpactBps: number;
}

const BPS = 10_000n;

/**
 * The least that the sender accepts of what would arrive now, never nothing. `priceImpact` in percent. Throws 400 if the
 * impact is above the limit, or if less would arrive than the caller's own minimum.
 */
export function minimumOf(arriving: bigint, priceImpact: number, bounds: Bounds): bigint {
  const { slippageBps, minAmountOut, maxPriceImpactBps } = bounds;
  // Percent with four decimals have no exact hundredths in binary.
  if (Math.round(priceImpact * 10_000) > maxPriceImpactBps * 100) {
    throw new ApiError(
      400,
      `The price impact of ${priceImpact} % is above maxPriceImpactBps ${maxPriceImpactBps} ` +
        `(${maxPriceImpactBps / 100} %): swap less, or raise it`,
    );
  }
  if (minAmountOut === undefined) {
    const minimum = (arriving * (BPS - BigInt(slippageBps))) / BPS;
    return minimum > 0n ? minimum : 1n;
  }
  if (arriving >= minAmountOut) return minAmountOut;
  throw new ApiError(
    400,
    `${arriving} base units of tokenOut would arrive, less than minAmountOut ${minAmountOut}: ` +
      'ask for a new quote and show it, or lower it',
  );
}
