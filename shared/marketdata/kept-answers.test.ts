import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Loopback, respondJson, startLoopback } from '../../test/pipeline/loopback.ts';
import { parseEnvironment } from '../platform/environment.ts';
import { createClient } from '../providers/client.ts';
import { coinpaprika } from '../providers/coinpaprika.ts';
import { currentTicker } from './answer.ts';
import { history } from './history.ts';
import type { CoinOffer } from './provider.ts';
import { upstreamOf } from './upstream.ts';
import { windowOf } from './window.ts';

const NOW = Date.UTC(2026, 0, 10, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ID = 'btc-bitcoin';

let server: Loopback;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  server = await startLoopback(respondJson(ticker()));
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

const at = (ms: number) => vi.setSystemTime(NOW + ms);
const iso = (time: number) => new Date(time).toISOString();

function ticker() {
  return {
    id: ID,
    name: 'Bitcoin',
    symbol: 'BTC',
    last_updated: iso(NOW),
    quotes: { USD: { price: 84_000 } },
  };
}

const notFound = respondJson({ error: 'id not found' }, 404);
const toldRefusal = respondJson({ error: 'Getting data before x is not allowed in this plan' }, 402);
const limitReached = respondJson({}, 402);
const limited = { statusCode: 429, headers: { 'retry-after': '60' } };

function newClient() {
  const environment = parseEnvironment({ COINPAPRIKA_BASE_URL: `${server.url}/v1` });
  const client = createClient<CoinOffer>(coinpaprika, environment);
  const patience = () => ({ deadline: Date.now() + 10_000, staleWaitMs: 10_000 });
  return {
    ticker: (isActive: boolean | undefined) =>
      currentTicker(client, ID, { ...patience(), freshMs: 1_000, isActive }),
    chart: (id = ID, isActive: boolean | undefined = true) => {
      const window = windowOf({ interval: '24h', limit: 3 }, Date.now());
      return history(
        async () => upstreamOf(client, client, async () => 2),
        { id, quote: 'usd', window },
        { ...patience(), isActive },
      );
    },
  };
}

describe.each([
  ['a 404', notFound, { statusCode: 404, message: `Unknown coin id: ${ID}` }],
  [
    'a refusal of the plan',
    toldRefusal,
    { statusCode: 502, message: "CoinPaprika refused: the provider's plan does not include this ticker" },
  ],
])('%s for an active coin that was there', (_what, refuse, refusal) => {
  it('is answered with the good entry, stale, until it is given again a minute later', async () => {
    const client = newClient();
    await client.ticker(true);
    server.answer(refuse);
    server.requests.length = 0;

    at(2_000);
    expect(await client.ticker(true)).toMatchObject({ stale: true, data: { id: ID } });
    at(2_000 + MINUTE_MS - 1);
    expect(await client.ticker(true)).toMatchObject({ stale: true, data: { id: ID } });
    expect(server.requests).toHaveLength(1);

    at(2_000 + MINUTE_MS);
    await expect(client.ticker(true)).rejects.toMatchObject(refusal);
    expect(server.requests).toHaveLength(2);
  });

  it('is forgotten if the provider gives the coin again', async () => {
    const client = newClient();
    await client.ticker(true);
    server.answer(refuse);
    at(2_000);
    await client.ticker(true);

    server.answer(respondJson(ticker()));
    at(2_000 + MINUTE_MS);
    expect(await client.ticker(true)).toMatchObject({ stale: false });

    server.answer(refuse);
    at(2_000 + 3 * MINUTE_MS);
    expect(await client.ticker(true)).toMatchObject({ stale: true });
  });

  it.each([
    ['inactive, a week later', false, 7 * 24 * 60 * MINUTE_MS],
    ['not known to be active', undefined, 0],
  ])('is believed at once of one that is %s', async (_state, isActive, keptMs) => {
    const client = newClient();
    await client.ticker(isActive);
    server.answer(refuse);

    at(2_000 + keptMs);
    await expect(client.ticker(isActive)).rejects.toMatchObject(refusal);
  });
});

describe('a 404 for an active coin that never was there', () => {
  it('is believed at once', async () => {
    server.answer(notFound);

    await expect(newClient().ticker(true)).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('a limit that is reached', () => {
  it('is never believed of a coin that was there: the good entry answers as long as it may', async () => {
    const client = newClient();
    await client.ticker(true);
    server.answer(limitReached);

    for (const minutes of [1, 2, 60, 600]) {
      at(minutes * MINUTE_MS);
      expect(await client.ticker(true)).toMatchObject({ stale: true, data: { id: ID } });
    }
  });

  it('is a 429 where there is nothing else, for that request alone', async () => {
    const client = newClient();
    server.answer(limitReached);
    await expect(client.ticker(true)).rejects.toMatchObject(limited);

    server.answer(respondJson(ticker()));
    expect(await client.ticker(true)).toMatchObject({ stale: false });
  });
});

describe('candles that are kept', () => {
  const day = (back: number) => NOW - (NOW % DAY_MS) - back * DAY_MS;
  const candles = [2, 1, 0].map((back) => ({
    time_open: iso(day(back)),
    time_close: iso(day(back) + 43_000_000),
    open: 1,
    high: 3,
    low: 1,
    close: 2,
    volume: 1,
    market_cap: 1,
  }));

  it('are looked at before any memory of what the plan refuses other coins', async () => {
    const client = newClient();
    server.answer(respondJson(candles));
    expect(await client.chart()).toMatchObject({ quality: 'exact', stale: false });

    server.answer((request, response) =>
      (request.url?.includes('/ohlcv/') ? toldRefusal : respondJson([{ timestamp: iso(day(0)), price: 2 }]))(
        request,
        response,
      ),
    );
    for (const other of ['eth-ethereum', 'sol-solana', 'xrp-xrp']) {
      expect(await client.chart(other)).toMatchObject({ quality: 'derived' });
    }
    server.requests.length = 0;

    expect(await client.chart()).toMatchObject({ quality: 'exact', stale: false });
    expect(server.requests).toEqual([]);
  });

  it('of all coins are as open as ever when the provider has had enough of requests for one', async () => {
    const client = newClient();
    const bad = 'bad-coin';
    server.answer((request, response) => {
      const isBad = request.url?.includes(bad) ?? false;
      const prices = [{ timestamp: iso(day(0)), price: 2 }];
      if (isBad && request.url?.includes('/ohlcv/')) return limitReached(request, response);
      return respondJson(request.url?.includes('/ohlcv/') ? candles : prices)(request, response);
    });

    for (let n = 0; n < 3; n += 1) await expect(client.chart(bad)).rejects.toMatchObject(limited);

    expect(await client.chart('eth-ethereum')).toMatchObject({ quality: 'exact' });
  });
});
