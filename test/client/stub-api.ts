import type { Answer, Api } from '../../client/commands/api-client.ts';
import { ApiFailure } from '../../client/commands/api-failure.ts';
import type { Candle, Data, Input, RouteName, SearchEntry } from '../../client/commands/contracts.ts';

type Stub<Name extends RouteName> = (input: Input<Name>) => Data<Name>;

/** Answers of some routes, by the types that the routes declare; those left out know nothing. */
export type Stubs = { readonly [Name in RouteName]?: Stub<Name> };

/** An API client without a network. `headers` come with every answer; `calls` fills with what was asked. */
export function stubApi(stubs: Stubs, headers: Readonly<Record<string, string>> = {}) {
  const calls: string[] = [];
  const api: Api = {
    async get<Name extends RouteName>(route: Name, input: Input<Name>): Promise<Answer<Data<Name>>> {
      calls.push(`${route} ${JSON.stringify(input)}`);
      const stub: Stub<Name> | undefined = stubs[route];
      if (!stub) throw new ApiFailure(404, 'not found', { isAnswer: true });
      return { data: stub(input), header: (name) => headers[name] };
    },
  };
  return { api, calls };
}

export function tickerOf(
  changes: Partial<Data<'ticker'>> = {},
  usd: Partial<Data<'ticker'>['quotes']['USD']> = {},
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
        ...usd,
      },
    },
    sources: null,
    ...changes,
  } satisfies Data<'ticker'>;
}

export function resolved(changes: Partial<Data<'resolve'>> = {}): Data<'resolve'> {
  return {
    symbol: 'BTC',
    id: 'btc-bitcoin',
    name: 'Bitcoin',
    rank: 1,
    type: 'coin',
    alternatives: 0,
    ...changes,
  };
}

export function entry(changes: Partial<SearchEntry> = {}): SearchEntry {
  return {
    id: 'btc-bitcoin',
    name: 'Bitcoin',
    symbol: 'BTC',
    rank: 1,
    is_new: false,
    is_active: true,
    type: 'coin',
    ...changes,
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
