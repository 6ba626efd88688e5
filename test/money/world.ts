import { expect } from 'vitest';
import { pastRatesName, pastRatesText } from '../../shared/marketdata/past-rates.ts';
import { ratesText } from '../../shared/marketdata/rates.ts';
import { encodeTail, tailChanges } from '../../shared/marketdata/store/tail.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';
import { MINUTE_MS } from '../../shared/platform/time.ts';
import { snapshotOf, tickerOf } from '../snapshot/tickers.ts';
import { BUCKET, NOW, TAIL, type TokenWorld, useTokenWorld } from '../tokens/world.ts';

/** Ids that are not tidy. Their symbols are their first three letters, in capitals. */
export const oddIds = [
  '-doggotothemoon',
  'xch-chia-',
  'toto-totoro-inu-?',
  '战旗-战旗',
  'bork-bork-SOL',
  'a b&c=%',
];
/** Coins that share the symbol `CAT`. */
export const cats = Array.from({ length: 65 }, (_, index) => `cat-${index}`);
export const coins = ['btc-bitcoin', 'eth-ethereum', 'eur-euro-coin', 'tail-coin', 'usd', ...oddIds, ...cats];

/** CoinGecko's ids of those that both lists have. */
const pairs = new Map([
  ['btc-bitcoin', 'bitcoin'],
  ['eth-ethereum', 'ethereum'],
  ['tail-coin', 'tail'],
  ['old-coin', 'old'],
  ['战旗-战旗', 'zhan-qi'],
  ...cats.map((id) => [id, id.replace('-', '_')] as const),
]);

/** One euro in each. */
export const RATES = { USD: '1.25', JPY: '180.55', GBP: '0.8', RON: '5.0911' };

export interface MoneyWorld extends TokenWorld {
  /** Publishes tickers with these prices in USD; `change` of 24 hours in percent. */
  putPrices(prices: Readonly<Record<string, number | null>>, given?: Given): void;
  putTail(prices: Readonly<Record<string, number>>): void;
  /** Puts the rates of a day such as `2026-09-17`. */
  putRates(day: string, rates?: Readonly<Record<string, string>>): void;
  /** Puts the rates of past days of a group of currencies, by day. */
  putPastRates(group: string, days: Readonly<Record<string, Readonly<Record<string, string>>>>): void;
  /** Fails if a price was requested upstream. */
  expectNobodyAsked(): void;
}

interface Given {
  readonly change?: number | null;
  readonly isDisputed?: (id: string) => boolean;
  readonly takenAt?: number;
}

/**
 * Starts it anew for each test of a file; without rates, prices and tail until they are put. `more` are ids of further coins, the
 * active and the inactive ones.
 */
export function useMoneyWorld(more: { active?: string[]; inactive?: string[] } = {}): () => MoneyWorld {
  const { active = [], inactive = [] } = more;
  const world = useTokenWorld([...coins, ...active], ['old-coin', ...inactive], pairs);
  return () => {
    const { s3, ...others } = world();
    const put = (name: string, bytes: Uint8Array | string) =>
      s3.objects.set(`/${BUCKET}/snapshot/${name}`, Buffer.from(bytes));
    return {
      ...others,
      s3,
      putPrices(prices, { change = null, isDisputed = () => false, takenAt = NOW - MINUTE_MS } = {}) {
        const tickers = Object.entries(prices).map(([id, price]): Ticker => {
          const ticker = tickerOf(id);
          const sources = isDisputed(id) ? { agreeing: 0, of: 3, spreadPercent: 1, prices: [] } : null;
          const USD = { ...ticker.quotes.USD, price, percent_change_24h: change };
          return { ...ticker, sources, last_updated: new Date(takenAt).toISOString(), quotes: { USD } };
        });
        const disputed = new Set(Object.keys(prices).filter(isDisputed));
        put('tickers.v4', snapshotOf([], { tickers, takenAt, disputed }));
      },
      putTail(prices) {
        const changes = Object.fromEntries(Object.keys(tailChanges).map((name) => [name, null]));
        const rows = Object.entries(prices).map(([id, price]) => ({
          id,
          price,
          at: NOW - 2 * MINUTE_MS,
          takenAt: NOW - MINUTE_MS,
          changes: changes as Record<keyof typeof tailChanges, null>, // exactly these names
        }));
        const tail = { takenAt: NOW - MINUTE_MS, intervalSeconds: 600, source: 'defillama', rows };
        s3.objects.set(TAIL, Buffer.from(encodeTail(tail)));
      },
      putRates: (day, rates = RATES) => put('rates.v1', ratesText({ day, source: 'ecb', rates })),
      putPastRates(group, days) {
        const sourced = Object.entries(days).map(([day, rates]) => ({ day, source: 'ecb', rates }));
        put(pastRatesName(group), pastRatesText(sourced));
      },
      expectNobodyAsked() {
        expect(others.asked).toEqual([]);
        expect(others.source.requests).toEqual([]);
      },
    };
  };
}
