/** What a swap is refused for: parties that would lose what arrives, and bounds of the caller that do not hold. */
import type { Address } from '../../shared/evm/values.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { invalidParameter } from '../../shared/http/middleware/input.ts';
import { isKnown, type UniswapChain } from './deployments.ts';
import { candidatePaths } from './pools.ts';
import type { Trade } from './quote.ts';

/** SwapRouter02 takes these two for whoever calls it, and for itself. */
const PLACEHOLDERS: readonly Address[] = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
];

export interface Parties {
  readonly trade: Trade;
  readonly recipient: Address;
  /** Will sign, and pays the input. */
  readonly sender: Address;
}

/** Throws the 400 that says why if the recipient would not keep what arrives, or if the sender cannot sign. */
export function assertParties(chain: UniswapChain, { trade, recipient, sender }: Parties): void {
  const paths = candidatePaths(chain, trade.tokenIn.address, trade.tokenOut.address);
  const pools = new Set(paths.flat().map(({ pool }) => pool));
  const ofRecipient = machinery(chain, trade, pools, recipient);
  if (ofRecipient) throw invalidParameter('recipient', recipient, `an account; ${ofRecipient}`);
  if (machinery(chain, trade, pools, sender))
    throw invalidParameter('sender', sender, 'an account that can sign, no contract of the route');
}

/** What becomes of an output there; undefined for any account that has no part in the swap. */
function machinery(
  chain: UniswapChain,
  { tokenIn, tokenOut }: Trade,
  pools: ReadonlySet<Address>,
  account: Address,
): string | undefined {
  if ([chain.uniswap.router, chain.uniswap.v2Router].includes(account)) {
    return 'this is a router: whoever calls it next takes what it holds';
  }
  if (PLACEHOLDERS.includes(account)) {
    return 'SwapRouter02 takes this for another address, such as its own, where whoever comes next takes it';
  }
  if (pools.has(account)) {
    return 'this is a pool of such tokens: whoever trades with it next takes what it does not expect';
  }
  if ([tokenIn.address, tokenOut.address].includes(account) || isKnown(chain, account)) {
    return 'this is a token: nobody gets out of it what is sent to it, or whoever comes next';
  }
  return undefined;
}

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
