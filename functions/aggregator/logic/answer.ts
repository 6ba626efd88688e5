import type { Address } from '../../../shared/evm/values.ts';
import { cleanText } from '../../../shared/platform/clean-text.ts';
import { array, type JsonObject, object, text, textOrNull } from '../../../shared/platform/json-fields.ts';
import { ALLOWANCE_HOLDER, type Question, zeroxAddress } from './question.ts';

/** A response of 0x, checked against the request; amounts in base units. */
export interface Answer {
  readonly amountOut: bigint;
  readonly minAmountOut: bigint;
  /** 0x's own fee; null if there is none. */
  readonly fee: { readonly amount: bigint; readonly token: Address } | null;
  readonly fills: readonly Fill[];
  readonly tokens: readonly { readonly address: Address; readonly symbol: string | null }[];
  readonly taxes: Readonly<Record<'tokenIn' | 'tokenOut', Taxes>>;
  /** In units of gas. */
  readonly gas: bigint | null;
  /** In wei. */
  readonly networkFee: bigint | null;
  readonly block: number;
  /** The whole response, for fields that only a firm quote has. */
  readonly json: JsonObject;
}

interface Fill {
  readonly source: string;
  readonly from: Address;
  readonly to: Address;
  readonly shareBps: number;
}

export interface Taxes {
  readonly buyTaxBps: number | null;
  readonly sellTaxBps: number | null;
}

/**
 * Reads the fields that a price and a quote share. Undefined if there is no liquidity. Throws an Error with the reason if the
 * response does not match the request.
 */
export function readAnswer(question: Question, json: JsonObject): Answer | undefined {
  if (json.liquidityAvailable === false) return undefined;
  if (json.liquidityAvailable !== true) throw new Error('liquidityAvailable is neither true nor false');
  assertSame(json, 'sellToken', zeroxAddress(question.tokenIn));
  assertSame(json, 'buyToken', zeroxAddress(question.tokenOut));
  // No longer documented; if present it must be ours.
  if (json.chainId !== undefined && Number(json.chainId) !== question.chain.chainId)
    throw new Error('it is for another chain');
  const fee = feeOf(json);
  assertAmountIn(question, json, fee);
  const amountOut = amount(json, 'buyAmount');
  const minAmountOut = amount(json, 'minBuyAmount');
  if (amountOut === 0n || minAmountOut === 0n) throw new Error('its output is zero');
  if (minAmountOut > amountOut) throw new Error('minBuyAmount is more than buyAmount');
  if (question.isWrap && amountOut !== question.amountIn) throw new Error('wrapping is not one to one');
  assertSpender(json);
  return {
    amountOut,
    minAmountOut,
    fee,
    ...routeOf(json),
    taxes: taxesOf(json),
    gas: amountOrNull(json, 'gas'),
    networkFee: amountOrNull(json, 'totalNetworkFee'),
    block: integer(json, 'blockNumber', Number.MAX_SAFE_INTEGER),
    json,
  };
}

const EVERYTHING_BPS = 10_000;

/** 0x takes its fee in the input token off `sellAmount`. */
function assertAmountIn({ tokenIn, amountIn }: Question, json: JsonObject, fee: Answer['fee']): void {
  const kept = fee?.token === lower(zeroxAddress(tokenIn)) ? fee.amount : 0n;
  const sold = amount(json, 'sellAmount');
  if (sold !== amountIn && sold + kept !== amountIn) throw new Error('it is for another amount');
}

/** An approval for any other contract would give it the tokens. */
function assertSpender(json: JsonObject): void {
  const { allowance } = object(json.issues, 'issues');
  const named = [
    textOrNull(json, 'allowanceTarget'),
    allowance ? text(object(allowance, 'issues.allowance'), 'spender') : null,
  ];
  for (const spender of named) {
    if (spender !== null && lower(spender) !== lower(ALLOWANCE_HOLDER))
      throw new Error('it names a spender that is not AllowanceHolder');
  }
}

function assertSame(json: JsonObject, name: string, expected: string): void {
  if (lower(text(json, name)) !== lower(expected)) throw new Error(`${name} does not match`);
}

function feeOf(json: JsonObject): Answer['fee'] {
  const { zeroExFee } = object(json.fees, 'fees');
  if (zeroExFee === null || zeroExFee === undefined) return null;
  const fee = object(zeroExFee, 'zeroExFee');
  return { amount: amount(fee, 'amount'), token: address(fee, 'token') };
}

function routeOf(json: JsonObject): Pick<Answer, 'fills' | 'tokens'> {
  const route = object(json.route, 'route');
  const fills = array(route.fills, 'route.fills').map((each) => {
    const fill = object(each, 'a fill');
    return {
      source: nameOf(text(fill, 'source')),
      from: address(fill, 'from'),
      to: address(fill, 'to'),
      shareBps: integer(fill, 'proportionBps', EVERYTHING_BPS),
    };
  });
  const tokens = array(route.tokens, 'route.tokens').map((each) => {
    const token = object(each, 'a token');
    return { address: address(token, 'address'), symbol: nameOf(text(token, 'symbol')) || null };
  });
  return { fills, tokens };
}

function taxesOf(json: JsonObject): Answer['taxes'] {
  const metadata = object(json.tokenMetadata, 'tokenMetadata');
  const of = (name: string): Taxes => {
    const taxes = object(metadata[name], `tokenMetadata.${name}`);
    return { buyTaxBps: bps(taxes, 'buyTaxBps'), sellTaxBps: bps(taxes, 'sellTaxBps') };
  };
  return { tokenIn: of('sellToken'), tokenOut: of('buyToken') };
}

function bps(source: JsonObject, name: string): number | null {
  return isAbsent(source, name) ? null : integer(source, name, EVERYTHING_BPS);
}

function integer(source: JsonObject, name: string, most: number): number {
  const value = amount(source, name);
  if (value > most) throw new Error(`${name} exceeds its maximum`);
  return Number(value);
}

export function amount(source: JsonObject, name: string): bigint {
  const written = text(source, name);
  if (!/^\d{1,78}$/.test(written)) throw new Error(`${name} is not a whole number`);
  return BigInt(written);
}

export function amountOrNull(source: JsonObject, name: string): bigint | null {
  return isAbsent(source, name) ? null : amount(source, name);
}

function isAbsent(source: JsonObject, name: string): boolean {
  return source[name] === null || source[name] === undefined;
}

/** An address in lower case. */
function address(source: JsonObject, name: string): Address {
  const written = lower(text(source, name));
  if (!/^0x[0-9a-f]{40}$/.test(written)) throw new Error(`${name} is not an address`);
  return written as Address; // its form was checked
}

export const lower = (written: string): string => written.toLowerCase();

/** Token creators choose these names, so their length is limited. */
function nameOf(text: string): string {
  return cleanText(cleanText(text).trim().slice(0, 40)); // a cut may leave half an emoji
}
