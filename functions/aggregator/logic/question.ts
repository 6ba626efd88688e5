import { type Chain, chains } from '../../../shared/chains.ts';
import {
  type Address,
  isWrap,
  MAX_UINT128,
  NATIVE_ALIAS,
  parseAccount,
  parseAmount,
  parseTrade,
  type Token,
  type Trade,
} from '../../../shared/evm/values.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import type { InputOf } from '../../../shared/http/route.ts';
import type { route } from '../quote/route.ts';

/** The contract that takes the tokens and is called to trade them, on every chain (docs.0x.org, "0x Contracts"). */
export const ALLOWANCE_HOLDER: Address = '0x0000000000001fF3684f28c67538d4D072C22734';

type QuoteInput = InputOf<typeof route>;

/** A caller's request, against which responses are checked. */
export interface Question extends Trade {
  readonly chain: Chain;
  /** One is the other's wrapped form: the rate is one to one, and the wrapped token's own contract does it. */
  readonly isWrap: boolean;
  /** The order of a transaction; undefined: an indicative price is enough. */
  readonly order: Order | undefined;
}

export interface Order {
  readonly sender: Address;
  readonly recipient: Address;
  readonly slippageBps: number;
  /** The least that the caller accepts, whatever the slippage. */
  readonly minAmountOut: bigint | undefined;
}

/** Addresses below this are precompiles, or reserved by chains; they have no private key. */
const LOWEST_ACCOUNT = 0x10000n;

/** Throws 400 for an impossible input. */
export function questionOf(input: QuoteInput): Question {
  const chain = chains[input.chain];
  const trade = parseTrade(chain, input);
  const question = { chain, ...trade, isWrap: isWrap(trade) };
  return { ...question, order: orderOf(question, input) };
}

function orderOf(
  { chain, tokenIn, tokenOut, isWrap }: Omit<Question, 'order'>,
  input: QuoteInput,
): Order | undefined {
  if (input.sender === undefined) {
    for (const name of ['recipient', 'minAmountOut'] as const) {
      if (input[name] === undefined) continue;
      throw invalidParameter(name, input[name], 'only together with sender: a price alone makes no payment');
    }
    return undefined;
  }
  const sender = parseAccount('sender', input.sender);
  const recipient = parseAccount('recipient', input.recipient ?? input.sender);
  const contracts = [ALLOWANCE_HOLDER, tokenIn.address, tokenOut.address, NATIVE_ALIAS];
  if (contracts.includes(recipient) || BigInt(recipient) < LOWEST_ACCOUNT) {
    throw invalidParameter('recipient', recipient, 'an account: funds sent to this address are lost');
  }
  if (isWrap && recipient !== sender) {
    throw invalidParameter(
      'recipient',
      recipient,
      `the sender: ${chain.nativeSymbol} is wrapped for whoever pays it`,
    );
  }
  const { slippageBps, minAmountOut } = input;
  return {
    sender,
    recipient,
    slippageBps,
    minAmountOut:
      minAmountOut === undefined ? undefined : parseAmount('minAmountOut', minAmountOut, MAX_UINT128),
  };
}

/** The address that 0x uses for a token. */
export function zeroxAddress({ address, isNative }: Token): Address {
  return isNative ? NATIVE_ALIAS : address;
}

/** The request's query in 0x's names; `slippageBps` replaces the order's own. */
export function parametersOf(
  { chain, tokenIn, tokenOut, amountIn, order }: Question,
  slippageBps = order?.slippageBps,
): URLSearchParams {
  return new URLSearchParams({
    chainId: String(chain.chainId),
    sellToken: zeroxAddress(tokenIn),
    buyToken: zeroxAddress(tokenOut),
    sellAmount: String(amountIn),
    ...(order && {
      taker: order.sender,
      // For wrapping 0x accepts no recipient, and by default it pays the taker.
      ...(order.recipient !== order.sender && { recipient: order.recipient }),
      slippageBps: String(slippageBps),
    }),
  });
}
