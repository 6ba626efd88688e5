/** Describes a payload in one line for a wallet. */
import { formatUnits } from 'viem/utils';
import { type Address, MAX_UINT256, type Token } from '../../shared/evm/values.ts';
import { isKnown, type RouterName, type UniswapChain } from './deployments.ts';
import type { Quote } from './quote.ts';
import { type TokenInfo, tokenInfo } from './tokens.ts';

/** Symbols with spaces, quotes or brackets could imitate another part of the line, so they are not shown. */
const SYMBOL = /^[A-Za-z0-9$₮.+_-]{1,16}$/;
/** No traded token has more. */
const MAX_DECIMALS = 36;

/** A swap in one line: "Swap 1.5 ETH for at least 2985.1 USDC through Uniswap V3 on mainnet, for 0x7099…79C8". */
export function swapSummary(
  chain: UniswapChain,
  { kind, hops, tokens, trade }: Quote,
  minAmountOut: bigint,
  recipient: Address,
): string {
  const side = ({ address, isNative }: Token, amount: bigint) =>
    isNative
      ? `${formatUnits(amount, 18)} ${chain.nativeSymbol}`
      : amountText(
          chain,
          tokens.find((token) => token.address === address) ?? tokenInfo(address, []),
          amount,
        );
  const paid = side(trade.tokenIn, trade.amountIn);
  const got = side(trade.tokenOut, minAmountOut);
  const where = `on ${chain.name}, for ${short(recipient)}`;
  if (kind === 'wrap') return `Wrap ${paid} as ${got} ${where}`;
  if (kind === 'unwrap') return `Unwrap ${paid} to ${got} ${where}`;
  const versions = ['v2', 'v3'].filter((version) => hops.some(({ type }) => type === version));
  const pools = `Uniswap ${versions.map((version) => version.toUpperCase()).join(' and ')}`;
  return `Swap ${paid} for at least ${got} through ${pools} ${where}`;
}

/** An approval in one line. */
export function approvalSummary(
  chain: UniswapChain,
  token: TokenInfo,
  amount: bigint,
  router: RouterName,
  spender: Address,
): string {
  const who = `Uniswap's ${router} (${short(spender)})`;
  if (amount === 0n) return `Let ${who} take no more ${nameOf(chain, token)} on ${chain.name}`;
  const most =
    amount === MAX_UINT256
      ? `any amount of ${nameOf(chain, token)}`
      : `up to ${amountText(chain, token, amount)}`;
  return `Let ${who} take ${most} on ${chain.name}`;
}

function amountText(chain: UniswapChain, token: TokenInfo, amount: bigint): string {
  const { decimals } = token.address === chain.wrappedNative ? { decimals: 18 } : token;
  const isPlain = decimals !== null && decimals <= MAX_DECIMALS;
  const name = nameOf(chain, token);
  return isPlain ? `${formatUnits(amount, decimals)} ${name}` : `${amount} base units of ${name}`;
}

/** Any token may call itself USDC: only those in the chain's table are shown without their address. */
function nameOf(chain: UniswapChain, { address, symbol }: TokenInfo): string {
  if (address === chain.wrappedNative) return `W${chain.nativeSymbol}`;
  if (symbol === null || !SYMBOL.test(symbol)) return `token ${short(address)}`;
  return isKnown(chain, address) ? symbol : `"${symbol}" (${short(address)})`;
}

function short(address: Address): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
