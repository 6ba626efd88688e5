/** 0x's Swap API v2 by AllowanceHolder (docs.0x.org, "API reference"), with prices that never change. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Chain, chains } from '../../shared/chains.ts';
import { NATIVE_ALIAS } from '../../shared/evm/values.ts';
import { type Reply, type StandIn, startStandIn } from '../../shared/http/stand-in.ts';
import { ALLOWANCE_HOLDER } from './logic/question.ts';
import { aggregatorNames } from './quote/route.ts';

interface KnownToken {
  readonly symbol: string;
  readonly decimals: number;
  readonly usd: number;
}

/** Tokens of mainnet; any other token has no liquidity. */
const tokens: Readonly<Record<string, KnownToken>> = {
  [NATIVE_ALIAS.toLowerCase()]: { symbol: 'ETH', decimals: 18, usd: 4_000 },
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48': { symbol: 'USDC', decimals: 6, usd: 1 },
  '0xdac17f958d2ee523a2206206994597c13d831ec7': { symbol: 'USDT', decimals: 6, usd: 1 },
  '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599': { symbol: 'WBTC', decimals: 8, usd: 100_000 },
};

const KEY = 'the-key-of-the-stand-in';
const ZID = '0x111111111111111111111111';
const FEE_BPS = 15n;
const SETTLER = '5e771e25e771e25e771e25e771e25e771e25e771';
const ADDRESS = /^0x(?!0{40})[0-9a-f]{40}$/i;

export function startZerox(): Promise<StandIn> {
  return startStandIn({ answer, environmentAt: (url) => ({ ZEROX_API_KEY: KEY, ZEROX_BASE_URL: url }) });
}

function answer({ pathname, searchParams: query }: URL, headers: IncomingHttpHeaders): Reply {
  const [, what] = /^\/swap\/allowance-holder\/(price|quote)$/.exec(pathname) ?? [];
  if (what === undefined) return refusal(404, 'NOT_FOUND');
  if (headers['0x-api-key'] !== KEY)
    return { status: 401, body: { message: 'Invalid authentication credentials' } };
  const chain = aggregatorNames
    .map((name) => chains[name])
    .find(({ chainId }) => String(chainId) === query.get('chainId'));
  const invalid = invalidFields(query, what, chain);
  if (headers['0x-version'] !== 'v2') invalid.push('0x-version');
  if (!chain || invalid.length > 0) {
    const details = invalid.map((field) => ({ field, reason: 'Invalid' }));
    return refusal(400, 'INPUT_INVALID', { details });
  }
  return { status: 200, body: quoteOf(chain, query, what === 'quote') };
}

function invalidFields(query: URLSearchParams, what: string, chain: Chain | undefined): string[] {
  const checks: readonly (readonly [string, RegExp, boolean])[] = [
    ['sellToken', ADDRESS, true],
    ['buyToken', ADDRESS, true],
    ['sellAmount', /^[1-9]\d*$/, true],
    ['taker', ADDRESS, what === 'quote'],
    ['recipient', ADDRESS, false],
    ['slippageBps', /^(\d{1,4}|10000)$/, false],
  ];
  const invalid = checks.filter(([name, form, isRequired]) => {
    const value = query.get(name);
    return value === null ? isRequired : !form.test(value);
  });
  return [...(chain ? [] : ['chainId']), ...invalid.map(([name]) => name)];
}

function refusal(status: number, name: string, data: object = {}): Reply {
  return { status, body: { name, message: 'The request was refused', data: { zid: ZID, ...data } } };
}

function quoteOf(chain: Chain, query: URLSearchParams, isFirm: boolean): object {
  const wrapped = chain.wrappedNative.toLowerCase();
  const known = (address: string) => tokens[address === wrapped ? NATIVE_ALIAS.toLowerCase() : address];
  const [sellToken, buyToken] = ['sellToken', 'buyToken'].map((name) =>
    (query.get(name) ?? '').toLowerCase(),
  );
  const sold = known(sellToken ?? '');
  const bought = known(buyToken ?? '');
  if (!sellToken || !buyToken || !sold || !bought) return { liquidityAvailable: false, zid: ZID };

  const amount = BigInt(query.get('sellAmount') ?? 0);
  const isNative = sellToken === NATIVE_ALIAS.toLowerCase();
  const isWrap = sold === bought;
  const fee = isWrap ? 0n : (amount * FEE_BPS) / 10_000n;
  const buyAmount = isWrap ? amount : worth(amount - fee, sold, bought);
  const slippage = isWrap ? 0n : BigInt(query.get('slippageBps') ?? 100);
  const symbolOf = (address: string) =>
    address === wrapped ? `W${chain.nativeSymbol}` : known(address)?.symbol;
  const noTaxes = { buyTaxBps: '0', sellTaxBps: '0', transferTaxBps: '0' };
  const gas = '180000';
  const gasPrice = '2000000000';
  return {
    allowanceTarget: isNative || isWrap ? null : ALLOWANCE_HOLDER.toLowerCase(),
    blockNumber: '21000000',
    buyAmount: String(buyAmount),
    buyToken,
    fees: {
      integratorFee: null,
      integratorFees: null,
      zeroExFee: fee === 0n ? null : { amount: String(fee), token: sellToken, type: 'volume' },
      gasFee: null,
    },
    issues: { allowance: null, balance: null, simulationIncomplete: false, invalidSourcesPassed: [] },
    liquidityAvailable: true,
    minBuyAmount: String((buyAmount * (10_000n - slippage)) / 10_000n),
    mode: 'exact-in',
    route: {
      fills: fills(sellToken, buyToken, isWrap),
      tokens: [sellToken, buyToken].map((address) => ({ address, symbol: symbolOf(address) })),
    },
    sellAmount: String(amount - fee),
    sellToken,
    tokenMetadata: { buyToken: noTaxes, sellToken: noTaxes },
    totalNetworkFee: '360000000000000',
    zid: ZID,
    ...(isFirm
      ? { transaction: { ...callOf(chain, { sellToken, amount, isNative, isWrap }), gas, gasPrice } }
      : { gas, gasPrice }),
  };
}

function worth(amount: bigint, sold: KnownToken, bought: KnownToken): bigint {
  const numerator = amount * BigInt(sold.usd) * 10n ** BigInt(bought.decimals);
  return numerator / (BigInt(bought.usd) * 10n ** BigInt(sold.decimals));
}

function fills(from: string, to: string, isWrap: boolean): object[] {
  if (isWrap) return [{ from, to, source: 'Wrapped_Native', proportionBps: '10000' }];
  return [
    { from, to, source: 'Uniswap_V3', proportionBps: '7000' },
    { from, to, source: '0x_RFQ', proportionBps: '3000' },
  ];
}

interface Sale {
  readonly sellToken: string;
  readonly amount: bigint;
  readonly isNative: boolean;
  readonly isWrap: boolean;
}

/** AllowanceHolder's call without work for the contract behind it; or the wrapped token's call. */
function callOf(chain: Chain, { sellToken, amount, isNative, isWrap }: Sale): object {
  const value = String(isNative ? amount : 0n);
  if (isWrap) {
    const data = isNative ? '0xd0e30db0' : `0x2e1a7d4d${word(amount.toString(16))}`;
    return { to: chain.wrappedNative.toLowerCase(), data, value };
  }
  const token = isNative ? '0' : sellToken.slice(2);
  const words = [SETTLER, token, amount.toString(16), SETTLER, 'a0', '0'].map(word).join('');
  return { to: ALLOWANCE_HOLDER.toLowerCase(), data: `0x2213bc0b${words}`, value };
}

function word(digits: string): string {
  return digits.padStart(64, '0');
}
