import { getAddress } from 'viem/utils';
import type { Issues } from '../../../shared/evm/contract.ts';
import { type Address, NATIVE_ALIAS, shown, type Token } from '../../../shared/evm/values.ts';
import type { DataOf } from '../../../shared/http/route.ts';
import { type JsonObject, object } from '../../../shared/platform/json-fields.ts';
import type { route } from '../quote/route.ts';
import { type Answer, amount, lower, type Taxes } from './answer.ts';
import { ALLOWANCE_HOLDER, type Order, type Question } from './question.ts';
import type { Transaction } from './transaction.ts';

export type QuoteData = DataOf<typeof route>;

/** A response's price data, in the shape of the other quotes. */
export function quoteData(
  question: Question,
  answer: Answer,
  gas: bigint | null,
): Omit<QuoteData, 'transaction'> {
  const { chain, tokenIn, tokenOut } = question;
  const wrapped = (address: Address) => (isAlias(address) ? chain.wrappedNative : getAddress(address));
  const { fee, fills, networkFee } = answer;
  const isNativeOut = tokenOut.address === chain.wrappedNative;
  return {
    amountOut: String(answer.amountOut),
    fee: {
      amount: String(fee?.amount ?? 0n),
      currency: fee ? shown(chain, tokenAt(fee.token)) : shown(chain, tokenIn),
      tiers: [],
    },
    route: fills.map(({ source, shareBps, from, to }) => ({
      source,
      shareBps,
      tokenIn: wrapped(from),
      tokenOut: wrapped(to),
    })),
    priceImpact: null,
    gasEstimate: digitsOrNull(gas),
    gasCost: isNativeOut ? digitsOrNull(networkFee) : null,
    networkFee: digitsOrNull(networkFee),
    tokens: answer.tokens.map(({ address, symbol }) => ({
      address: wrapped(address),
      symbol,
      decimals: null,
      ...taxesOf(address, question, answer),
    })),
    router: null,
    spender: spenderOf(question),
    block: answer.block,
    blockHash: null,
  };
}

/** The transaction for the sender. Throws an Error with the reason for invalid issues. */
export function transactionData(
  question: Question,
  order: Order,
  answer: Answer,
  { to, data, value, gas }: Transaction,
): NonNullable<QuoteData['transaction']> {
  const { chain, amountIn, tokenIn, tokenOut } = question;
  const { sender, recipient } = order;
  const { minAmountOut } = answer;
  const sold = `${amountIn} base units of ${shown(chain, tokenIn)}`;
  return {
    to,
    data,
    value: String(value),
    gasLimit: digitsOrNull(gas),
    chainId: chain.chainId,
    from: sender,
    recipient,
    spender: spenderOf(question),
    minAmountOut: String(minAmountOut),
    // Contains no text from 0x or a token.
    summary: `Sell ${sold} for at least ${minAmountOut} of ${shown(chain, tokenOut)} to ${recipient} on ${chain.name}`,
    issues: issuesOf(question, object(answer.json.issues, 'issues')),
  };
}

/** The native currency and the wrapped token's own contract need no approval. */
function spenderOf({ tokenIn, isWrap }: Question): Address | null {
  return tokenIn.isNative || isWrap ? null : ALLOWANCE_HOLDER;
}

function issuesOf({ chain, tokenIn, amountIn }: Question, issues: JsonObject): Issues {
  const allowance = issues.allowance ? object(issues.allowance, 'issues.allowance') : null;
  const balance = issues.balance ? object(issues.balance, 'issues.balance') : null;
  return {
    allowance: allowance && {
      actual: String(amount(allowance, 'actual')),
      required: String(amountIn),
      spender: ALLOWANCE_HOLDER,
    },
    balance: balance && {
      token: shown(chain, tokenIn),
      actual: String(amount(balance, 'actual')),
      required: String(amount(balance, 'expected')),
    },
    simulation:
      issues.simulationIncomplete === false ? null : '0x could not simulate the whole swap for this sender',
  };
}

function taxesOf(address: Address, { tokenIn, tokenOut }: Question, { taxes }: Answer): Taxes {
  const isOne = (token: Token) =>
    [token.address, ...(token.isNative ? [NATIVE_ALIAS] : [])].some(
      (known) => lower(known) === lower(address),
    );
  if (isOne(tokenIn)) return taxes.tokenIn;
  return isOne(tokenOut) ? taxes.tokenOut : { buyTaxBps: null, sellTaxBps: null };
}

function tokenAt(address: Address): Token {
  return { address: getAddress(address), isNative: isAlias(address) };
}

function isAlias(address: Address): boolean {
  return lower(address) === lower(NATIVE_ALIAS);
}

function digitsOrNull(value: bigint | null): string | null {
  return value === null ? null : String(value);
}
