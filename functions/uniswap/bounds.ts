/** Reasons to reject a swap: parties that would lose the output, and the caller's own limits. */
import type { Address } from '../../shared/evm/values.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { invalidParameter } from '../../shared/http/middleware/input.ts';
import { isKnown, type UniswapChain } from './deployments.ts';
import { candidatePaths } from './pools.ts';
import type { Trade } from './quote.ts';

/** SwapRouter02 reads these two addresses as its caller and itself. */
const PLACEHOLDERS: readonly Address[] = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
];

export interface Parties {
  readonly trade: Trade;
  readonly recipient: Address;
  /** The account that signs and pays the input. */
  readonly sender: Address;
}

/** Throws a 400 with the reason if the recipient would lose the output, or if the sender cannot sign. */
export function assertParties(chain: UniswapChain, { trade, recipient, sender }: Parties): void {
  const paths = candidatePaths(chain, trade.tokenIn.address, trade.tokenOut.address);
  const pools = new Set(paths.flat().map(({ pool }) => pool));
  const ofRecipient = machinery(chain, trade, pools, recipient);
  if (ofRecipient) throw invalidParameter('recipient', recipient, `an account; ${ofRecipient}`);
  if (machinery(chain, trade, pools, sender))
    throw invalidParameter('sender', sender, 'an account that can sign, no contract of the route');
}

/** Why an output sent there is lost; undefined for accounts with no part in the swap. */
function machinery(
  chain: UniswapChain,
  { tokenIn, tokenOut }: Trade,
  pools: ReadonlySet<Address>,
  account: Address,
): string | undefined {
  if ([chain.uniswap.router, chain.uniswap.v2Router].includes(account)) {
    return 'this is a router: its next caller can take what it holds';
  }
  if (PLACEHOLDERS.includes(account)) {
    return 'SwapRouter02 reads this as another address, such as its own, where the next caller can take it';
  }
  if (pools.has(account)) {
    return 'this is a pool of these tokens: its next trader can take an unexpected balance';
  }
  if ([tokenIn.address, tokenOut.address].includes(account) || isKnown(chain, account)) {
    return 'this is a token: what is sent to it is lost, or anyone can take it';
  }
  return undefined;
}

/** The caller's limits. */
export interface Bounds {
  /** The accepted fall of the price, in hundredths of a percent. */
  readonly slippageBps: number;
  /** In base units of the output; replaces the minimum from `slippageBps`. */
  readonly minAmountOut?: bigint;
  readonly maxPriceImpactBps: number;
}

const BPS = 10_000n;

/**
 * The least output that the sender accepts of the current one, always above zero. `priceImpact` in percent. Throws 400
 * if the impact exceeds the limit, or if less than the caller's own minimum would arrive.
 */
export function minimumOf(arriving: bigint, priceImpact: number, bounds: Bounds): bigint {
  const { slippageBps, minAmountOut, maxPriceImpactBps } = bounds;
  // Percentages with four decimals have no exact hundredths in binary.
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
