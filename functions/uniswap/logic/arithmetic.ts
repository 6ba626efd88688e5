/** A price as a fraction of base units: how much of the output one unit of the input is worth before the trade. */
export interface Price {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const MILLION = 1_000_000n;
const Q192 = 2n ** 192n;
const MAX_UINT112 = 2n ** 112n - 1n;

/** UniswapV2Library.getAmountOut: 0.3 % of the input stays with the pair. 0 if it is empty or would overflow. */
export function v2AmountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  if (amountIn === 0n || reserveIn === 0n || reserveOut === 0n || reserveIn + amountIn > MAX_UINT112)
    return 0n;
  const afterFee = amountIn * 997n;
  return (afterFee * reserveOut) / (reserveIn * 1000n + afterFee);
}

/** The price in a V3 pool, of which `slot0` tells the square root of token1 per token0, times 2^96. */
export function v3Price(sqrtPriceX96: bigint, sellsToken0: boolean): Price {
  const square = sqrtPriceX96 * sqrtPriceX96;
  return sellsToken0 ? { numerator: square, denominator: Q192 } : { numerator: Q192, denominator: square };
}

/** The fees of pools that an input goes through one after the other, as part of that input, rounded up. */
export function feeAmount(amountIn: bigint, feeTiers: readonly number[]): bigint {
  const kept = feeTiers.reduce((left, tier) => left * (MILLION - BigInt(tier)), 1n);
  return amountIn - (amountIn * kept) / MILLION ** BigInt(feeTiers.length);
}

/** The loss against the price before the trade, fees aside, in percent with four decimals. Never negative. */
export function priceImpact(
  amountIn: bigint,
  amountOut: bigint,
  prices: readonly Price[],
  feeTiers: readonly number[],
): number {
  let numerator = amountIn;
  let denominator = 1n;
  for (const price of prices) {
    numerator *= price.numerator;
    denominator *= price.denominator;
  }
  for (const tier of feeTiers) {
    numerator *= MILLION - BigInt(tier);
    denominator *= MILLION;
  }
  if (numerator === 0n) return 0;
  const millionths = ((numerator - amountOut * denominator) * MILLION) / numerator;
  return Number(millionths > 0n ? millionths : 0n) / 10_000;
}
