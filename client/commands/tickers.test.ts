import { expect, test } from 'vitest';
import { type Stubs, stubApi, tickerOf } from '../../test/client/stub-api.ts';
import { sessionTickers } from './tickers.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

/** A session against a service whose answers may be kept for a minute. */
function sessionOf() {
  const clock = { now: NOW };
  const headers = { 'x-data-time': new Date(NOW).toISOString(), 'cache-control': 'public, max-age=60' };
  const stubs: Stubs = {
    ticker: ({ id }) => tickerOf({ id }),
    tickers: () => ({
      count: 2,
      results: [
        {
          id: 'btc',
          ticker: tickerOf({ id: 'btc' }),
          quality: 'disputed',
          source: 'kraken',
          dataTime: new Date(NOW).toISOString(),
        },
        { id: 'gone', error: 'No coin has the id gone' },
      ],
    }),
  };
  return { clock, headers, tickers: sessionTickers(() => clock.now), ...stubApi(stubs, headers) };
}

test('a ticker is fetched again only after it expires', async () => {
  const { clock, tickers, api, calls } = sessionOf();
  await tickers.recent(api, 'btc');
  clock.now += 59_000;
  await tickers.recent(api, 'btc');
  expect(calls).toHaveLength(1);
  clock.now += 1000;
  await tickers.recent(api, 'btc');
  expect(calls).toHaveLength(2);
});

test('an older response does not replace a newer one', async () => {
  const { headers, tickers, api } = sessionOf();
  const changed: string[] = [];
  const stop = tickers.onChange((id) => changed.push(id));
  const madeAt = async (time: number) => {
    headers['x-data-time'] = new Date(time).toISOString();
    return (await tickers.fetch(api, 'btc')).provenance.madeAt;
  };
  expect(await madeAt(NOW)).toBe(NOW);
  expect(await madeAt(NOW - 60_000)).toBe(NOW);
  expect(tickers.known('btc')?.provenance.madeAt).toBe(NOW);
  expect(await madeAt(NOW + 60_000)).toBe(NOW + 60_000);
  stop();
  await madeAt(NOW + 120_000);
  expect(changed).toEqual(['btc', 'btc']);
});

test('several tickers arrive in one response, each with its own source, and a missing one has a reason', async () => {
  const { tickers, api, calls } = sessionOf();
  const [btc, gone] = await tickers.fetchAll(api, ['btc', 'gone']);
  expect(btc).toMatchObject({ provenance: { quality: 'disputed', sources: ['kraken'], madeAt: NOW } });
  expect(gone).toEqual({ id: 'gone', error: 'No coin has the id gone' });
  expect(await tickers.recent(api, 'btc')).toBe(btc);
  expect(calls).toEqual(['tickers {"ids":["btc","gone"]}']);
});
