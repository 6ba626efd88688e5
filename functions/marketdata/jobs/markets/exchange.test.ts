import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../shared/http/errors.ts';
import { type ProviderRequest, UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { Market, MarketQuote } from '../../../../shared/marketdata/sources/market.ts';
import type { ExchangeState } from '../../../../shared/marketdata/sources/source-map.ts';
import { HOUR_MS } from '../../../../shared/platform/time.ts';
import { coinbase } from '../../../../shared/providers/coinbase.ts';
import { type ExchangeClient, type FetchOptions, fetchExchange } from './exchange.ts';

const NOW = Date.UTC(2026, 10, 22);

const marketOf = (id: string): Market => {
  const [base = '', quote = ''] = id.split('-');
  return { id, base, quote, isOpen: true };
};

interface Answers {
  readonly markets?: readonly string[];
  readonly failing?: (ids: readonly string[]) => Error | undefined;
  readonly quotes?: number | 'all';
}

/** A client of an exchange, with the ids of each request for prices. */
function clientOf({ markets = [], failing = () => undefined, quotes = 'all' }: Answers) {
  const requested: string[][] = [];
  const provider = {
    ...coinbase,
    limits: { ...coinbase.limits, quotes },
    markets: (): ProviderRequest<readonly Market[]> => ({ path: '/list', read: () => markets.map(marketOf) }),
    quotes: (ids: readonly string[]): ProviderRequest<readonly MarketQuote[]> => ({
      path: ids.length === 1 ? `/one/${ids}` : '/all',
      read: () => {
        requested.push([...ids]);
        const error = failing(ids);
        if (error) throw error;
        return ids.map((market) => ({ market, price: 1, volume: 1, change: null, at: null }));
      },
    }),
  };
  const client: Pick<ExchangeClient, 'provider' | 'fetch'> = {
    provider,
    fetch: async (request) => ({ data: request.read(undefined), source: 'test', madeAt: NOW }),
  };
  return { client: client as ExchangeClient, requested }; // no more of it is used
}

const options = (given: Partial<FetchOptions> = {}): FetchOptions => ({
  ...{ known: undefined, now: NOW, deadline: Date.now() + 60_000 },
  candidates:
    () =>
    ({ base }) =>
      base !== 'XXX',
  ...given,
});
const known = (ids: readonly string[], listedAt = NOW - HOUR_MS / 2): ExchangeState => ({
  ...{ exchange: 'coinbase', listedAt, listed: ids.length },
  markets: ids.map((id) => {
    const { base, quote } = marketOf(id);
    return { market: id, base, quote: quote as 'USD', isOpen: true, mapped: null }; // each is one of USD
  }),
});

describe('an exchange', () => {
  it('is queried for markets that can be converted to USD and may trade a coin of the snapshot', async () => {
    const { client, requested } = clientOf({ markets: ['A-USDT', 'A-EUR', 'XXX-USD', 'B-USD'] });
    expect(await fetchExchange(client, options())).toMatchObject({
      exchange: 'coinbase',
      problem: undefined,
    });
    expect(requested).toEqual([['B-USD', 'A-USDT']]);
  });

  it('is queried for its list once an hour', async () => {
    const { client } = clientOf({ markets: ['B-USD'] });
    expect((await fetchExchange(client, options({ known: known(['A-USD']) }))).markets).toBeUndefined();
    expect(
      (await fetchExchange(client, options({ known: known(['A-USD'], NOW - HOUR_MS) }))).markets,
    ).toHaveLength(1);
  });

  it('is queried again if its list was made by a clock that has been set back, not by one that is a second ahead', async () => {
    const { client } = clientOf({ markets: ['B-USD'] });
    const listed = async (at: number) =>
      (await fetchExchange(client, options({ known: known(['A-USD'], at) }))).markets;
    expect(await listed(NOW + HOUR_MS / 2)).toHaveLength(1);
    expect(await listed(NOW + 1_000)).toBeUndefined();
  });

  it('keeps its markets if its list lost a fifth of them at once, for a day', async () => {
    const { client, requested } = clientOf({ markets: ['A-USD'] });
    const three = ['A-USD', 'B-USD', 'C-USD'];
    const answer = await fetchExchange(client, options({ known: known(three, NOW - HOUR_MS) }));
    expect(answer).toMatchObject({ markets: undefined, problem: 'a list of 1 markets after one of 3' });
    expect(requested).toEqual([three]);
    expect(
      (await fetchExchange(client, options({ known: known(three, NOW - 24 * HOUR_MS) }))).markets,
    ).toHaveLength(1);
  });

  it('is queried market by market if it no longer has the prices of all at once', async () => {
    const failing = (ids: readonly string[]) => (ids.length > 1 ? new UnusableAnswer('gone') : undefined);
    const { client, requested } = clientOf({ markets: ['A-USD', 'B-USD'], failing });
    expect(await fetchExchange(client, options())).toMatchObject({
      quotes: [{ market: 'A-USD' }, { market: 'B-USD' }],
      problem: 'gone',
    });
    expect(requested).toEqual([['A-USD', 'B-USD'], ['A-USD'], ['B-USD']]);
  });

  it('is queried in parts if a request has few prices, until the deadline', async () => {
    const markets = ['A-USD', 'B-USD', 'C-USD'];
    const { client, requested } = clientOf({ markets, quotes: 2 });
    expect((await fetchExchange(client, options())).quotes).toHaveLength(3);
    expect(requested).toEqual([['A-USD', 'B-USD'], ['C-USD']]);
    expect((await fetchExchange(client, options({ deadline: Date.now() }))).quotes).toBeUndefined();
  });

  it('gets no more requests after a 429', async () => {
    const failing = () => new ApiError(429, 'enough');
    const markets = Array.from({ length: 50 }, (_, n) => `A${n}-USD`);
    const { client, requested } = clientOf({ markets, quotes: 1, failing });
    expect(await fetchExchange(client, options())).toMatchObject({ quotes: undefined, problem: 'enough' });
    expect(requested.length).toBeLessThanOrEqual(4);
  });
});
