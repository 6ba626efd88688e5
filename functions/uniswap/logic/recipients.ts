import type { Address } from '../../../shared/evm/values.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import type { UniswapChain } from '../deployments.ts';
import { candidatePaths } from './paths.ts';
import type { Trade } from './quote.ts';

/** SwapRouter02 takes these two for whoever calls it, and for itself. */
const PLACEHOLDERS: readonly Address[] = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
];

interface Parties {
  readonly trade: Trade;
  readonly recipient: Address;
  readonly sender: Address;
}

/** Throws the 400 that says why if the recipient would not keep what arrives, or if the sender cannot sign. */
export function assertParties(chain: UniswapChain, { trade, recipient, sender }: Parties): void {
  const paths = candidatePaths(chain.uniswap, trade.tokenIn.address, trade.tokenOut.address);
  const pools = new Set(paths.flatMap(({ hops }) => hops.map(({ pool }) => pool)));
  const ofRecipient = machinery(chain, trade, pools, recipient);
  if (ofRecipient) throw invalidParameter('recipient', recipient, `an account; ${ofRecipient}`);
  if (machinery(chain, trade, pools, sender))
    throw invalidParameter('sender', sender, 'an account that can sign, no contract of the route');
}

/** What becomes of an output there; undefined for any account that has no part in the swap. */
function machinery(
  { uniswap, wrappedNative }: UniswapChain,
  { tokenIn, tokenOut }: Trade,
  pools: ReadonlySet<Address>,
  account: Address,
): string | undefined {
  if (account === uniswap.router || account === uniswap.v2.router) {
    return 'this is a router: whoever calls it next takes what it holds';
  }
  if (PLACEHOLDERS.includes(account)) {
    return 'SwapRouter02 takes this for another address, such as its own, where whoever comes next takes it';
  }
  if (pools.has(account)) {
    return 'this is a pool of such tokens: whoever trades with it next takes what it does not expect';
  }
  if ([wrappedNative, tokenIn.address, tokenOut.address, ...uniswap.intermediates].includes(account)) {
    return 'this is a token: nobody gets out of it what is sent to it, or whoever comes next';
  }
  return undefined;
}
