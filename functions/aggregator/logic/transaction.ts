import type { Hex } from 'viem';
import { type Address, NATIVE_ALIAS } from '../../../shared/evm/values.ts';
import { object, text } from '../../../shared/platform/json-fields.ts';
import { type Answer, amount, amountOrNull, lower } from './answer.ts';
import { ALLOWANCE_HOLDER, type Question } from './question.ts';

export interface Transaction {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint | null;
}

/** exec(address operator, address token, uint256 amount, address target, bytes data) of AllowanceHolder (0x-settler). */
const EXEC = '0x2213bc0b';
/** deposit() and withdraw(uint256) of a wrapped native token (WETH9). */
const DEPOSIT = '0xd0e30db0';
const WITHDRAW = '0x2e1a7d4d';

/** 0x computes with twenty digits, so the last digits of a minimum are not exact. */
const ROUNDING = 1_000_000_000n;

/** Reads the transaction of a firm quote. Throws an Error with the reason if it does not match the order. */
export function readTransaction(question: Question, answer: Answer, slippageBps: number): Transaction {
  const { chain, tokenIn, amountIn, isWrap } = question;
  assertMinimum(answer, slippageBps);
  const json = object(answer.json.transaction, 'transaction');
  const to = isWrap ? chain.wrappedNative : ALLOWANCE_HOLDER;
  if (lower(text(json, 'to')) !== lower(to)) throw new Error('the transaction calls another contract');
  const data = lower(text(json, 'data'));
  if (!/^0x([0-9a-f]{2}){4,}$/.test(data)) throw new Error('the calldata is not hexadecimal');
  const value = amount(json, 'value');
  if (value !== (tokenIn.isNative ? amountIn : 0n)) throw new Error('value is not what the swap takes');
  if (isWrap) assertWrap(question, data);
  else assertTakesNoMore(question, data);
  return { to, data: data as Hex, value, gas: amountOrNull(json, 'gas') }; // its form was checked
}

function assertMinimum({ amountOut, minAmountOut }: Answer, slippageBps: number): void {
  const least = (amountOut * BigInt(10_000 - slippageBps)) / 10_000n;
  if (minAmountOut + amountOut / ROUNDING + 1n < least)
    throw new Error('minBuyAmount is below what the slippage allows');
}

function assertWrap({ tokenIn, amountIn }: Question, data: string): void {
  const expected = tokenIn.isNative ? DEPOSIT : WITHDRAW + amountIn.toString(16).padStart(64, '0');
  if (data !== expected) throw new Error('the calldata does not wrap this amount');
}

/**
 * The sender may have approved AllowanceHolder for any token; its call contains the token and the largest amount that it may
 * take for this swap. The rest is up to 0x's contracts and is not read.
 */
function assertTakesNoMore({ tokenIn, amountIn }: Question, data: string): void {
  if (!data.startsWith(EXEC)) throw new Error("the calldata is not AllowanceHolder's");
  const word = (index: number) => data.slice(EXEC.length + 64 * index, EXEC.length + 64 * (index + 1));
  const token = word(1);
  const largest = word(2);
  if (!/^0{24}/.test(token) || largest.length < 64) throw new Error('the calldata is cut off');
  const taker = `0x${token.slice(24)}`;
  const isHarmless = tokenIn.isNative
    ? BigInt(taker) === 0n || taker === lower(NATIVE_ALIAS)
    : taker === lower(tokenIn.address) && BigInt(`0x${largest}`) <= amountIn;
  if (!isHarmless) throw new Error('the calldata takes another token, or more of it');
}
