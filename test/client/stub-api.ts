import type { Api } from '../../client/commands/provenance.ts';
import type { Candle } from '../../client/commands/series.ts';
import { ratedAnswer } from '../../client/sdk/answer.ts';
import {
  ApiFailure,
  createClient,
  type MarketdataRatesData,
  type MarketdataResolveData,
  type MarketdataSearchData,
  type MarketdataTickerData,
} from '../../client/sdk/index.ts';
import { buildRegistry } from '../../registry-layer/build.ts';
import { entry } from '../../shared/registry/entry.testing.ts';
import { coinNamed } from '../../shared/registry/naming.ts';
import { openRegistryBytes } from '../../shared/registry/registry.ts';

type Stub<Method extends (...args: never[]) => Promise<{ data: unknown }>> = (
  input: NonNullable<Parameters<Method>[0]>,
) => Awaited<ReturnType<Method>>['data'];

/** Answers of some routes, by the types that the routes declare; those left out know nothing. */
export type Stubs = { readonly [Name in keyof Api]?: Stub<Api[Name]> };

/** An API client without a network. `headers` come with every answer; `calls` fills with the requests. */
export function stubApi(stubs: Stubs, headers: Readonly<Record<string, string>> = {}) {
  const calls: string[] = [];
  const methodOf = (name: string) => async (input: never) => {
    calls.push(`${name} ${JSON.stringify(input)}`);
    const stub = (stubs as Readonly<Record<string, (input: never) => unknown>>)[name]; // by any name
    if (!stub) throw new ApiFailure(404, 'not found', { isAnswer: true });
    return ratedAnswer(stub(input), new Headers(headers));
  };
  const names = Object.keys(createClient({ baseUrl: '' }).marketdata);
  const api = Object.fromEntries(names.map((name) => [name, methodOf(name)])) as unknown as Api; // all its methods
  return { api, calls };
}

export function tickerOf(
  changes: Partial<MarketdataTickerData> = {},
  usd: Partial<MarketdataTickerData['quotes']['USD']> = {},
) {
  return {
    id: 'btc-bitcoin',
    name: 'Bitcoin',
    symbol: 'BTC',
    rank: 1,
    circulating_supply: 19_900_000,
    total_supply: 19_900_000,
    max_supply: 21_000_000,
    beta_value: 1,
    first_data_at: '2010-07-17T00:00:00Z',
    last_updated: '2026-01-31T12:00:00Z',
    quotes: {
      USD: {
        price: 67_123.456,
        volume_24h: 28_420_000_000,
        volume_24h_change_24h: 1.5,
        market_cap: 1_321_456_789_012,
        market_cap_change_24h: 2.3,
        percent_change_15m: 0,
        percent_change_30m: 0,
        percent_change_1h: 0.1,
        percent_change_6h: 0.2,
        percent_change_12h: 0.3,
        percent_change_24h: 2.314,
        percent_change_7d: -1,
        percent_change_30d: 4,
        percent_change_1y: 60,
        ath_price: 126_000,
        ath_date: '2025-10-06T00:00:00Z',
        percent_from_price_ath: -46,
        figures_at: null,
        ...usd,
      },
    },
    sources: null,
    ...changes,
  } satisfies MarketdataTickerData;
}

export function resolved(changes: Partial<MarketdataResolveData> = {}): MarketdataResolveData {
  return {
    symbol: 'BTC',
    id: 'btc-bitcoin',
    name: 'Bitcoin',
    rank: 1,
    type: 'coin',
    is_active: true,
    foundBy: 'symbol',
    alternatives: 0,
    isAmbiguous: (changes.alternatives ?? 0) > 0,
    ...changes,
  };
}

/** The origin of the day's rates. */
export const ofRates = {
  sources: ['ecb'],
  isSimulated: false,
  quality: 'exact',
  madeAt: undefined,
  outdatedMs: undefined,
  freshUntil: 0,
} as const;

/** How the service names coins, of these entries alone. */
export function resolveIn(
  entries: readonly MarketdataSearchData['results'][number][],
): Stubs['resolve'] & {} {
  const { bytes, manifest } = buildRegistry([...entries], { source: 'simulated' });
  const registry = openRegistryBytes(bytes, manifest);
  return ({ symbol: text }) => {
    const coin = coinNamed(text, registry);
    if (!coin) throw new ApiFailure(404, `Unknown symbol: ${text}`, { isAnswer: true });
    const { is_new: _isNew, ...entry } = coin.entry;
    const { foundBy, alternatives, isAmbiguous } = coin;
    return { ...entry, foundBy, alternatives, isAmbiguous };
  };
}

export { entry };

/** A dollar is 0.80 euros and 144 yen. */
export function euroRates(changes: Partial<MarketdataRatesData> = {}): MarketdataRatesData {
  return { base: 'EUR', day: '2026-01-30', rates: { JPY: '180.00', USD: '1.2500' }, count: 2, ...changes };
}

/**
 * The route of candles, which converts each at the rate of its own time: `past` has that of each candle, in units per US
 * dollar, by currency.
 */
export function candlesRoute(
  data: readonly Candle[],
  past: Readonly<Record<string, readonly number[]>> = {},
): Stubs['ohlcv'] & {} {
  return ({ id, interval = '24h', currency }) => {
    const rates = currency === undefined ? [] : past[currency];
    if (!rates)
      throw new ApiFailure(
        404,
        `No exchange rate of ${currency} is known from 2026-01-01 to 2026-01-02; use USD`,
        {
          isAnswer: true,
        },
      );
    const shown = data.map((candle, index) => {
      const rate = rates[index] ?? 1;
      const { open, high, low, close, volume } = candle;
      const prices = { open: open * rate, high: high * rate, low: low * rate, close: close * rate };
      return { ...candle, ...prices, volume: volume === null ? null : volume * rate };
    });
    return {
      coinId: id,
      interval,
      quote: currency?.toLowerCase() ?? 'usd',
      count: shown.length,
      data: shown,
    };
  };
}

/** Daily candles from 2026-01-01 on, `[open, high, low, close]` each. */
export function candles(prices: readonly (readonly [number, number, number, number])[]): Candle[] {
  return prices.map(([open, high, low, close], day) => ({
    time_open: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
    time_close: new Date(Date.UTC(2026, 0, 2 + day) - 1000).toISOString(),
    open,
    high,
    low,
    close,
    volume: 1000 * (day + 1),
    market_cap: null,
  }));
}
