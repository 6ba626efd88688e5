import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { createMarket, defaultCoins, priceAt } from '../../local/simulated/market.ts';
import { parseEnvironment } from '../platform/environment.ts';
import { createClient } from '../providers/client.ts';
import { coinpaprika } from '../providers/coinpaprika.ts';
import { history } from './history.ts';
import type { CoinOffer } from './provider.ts';
import { upstreamOf } from './upstream.ts';
import type { PriceLookup } from './upstream-rows.ts';
import { type WindowParameters, windowOf } from './window.ts';

const NOW = Date.UTC(2026, 8, 18, 4, 10);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Options = NonNullable<Parameters<typeof startSimulated>[0]>;

let provider: SimulatedSource;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(async () => {
  vi.useRealTimers();
  await provider.close();
});

const market = createMarket(defaultCoins, 1);

async function priceNow(id: string): Promise<number | undefined> {
  const asset = market.asset(id);
  return asset && priceAt(asset, Date.now());
}

async function clientTo(options: Options, priceOf: PriceLookup = priceNow) {
  provider = (await startSimulated(options)).provider;
  const client = createClient<CoinOffer>(
    coinpaprika,
    parseEnvironment({ COINPAPRIKA_BASE_URL: provider.url }),
  );
  return (asked: Partial<WindowParameters> = {}, id = 'btc-bitcoin') => {
    const window = windowOf({ interval: '24h', limit: 30, ...asked }, Date.now());
    const patience = { deadline: Date.now() + 10_000, staleWaitMs: 10_000, isActive: true };
    const upstream = upstreamOf(client, client, priceOf);
    return history(async () => upstream, { id, quote: 'usd', window }, patience);
  };
}

const kinds = () => {
  const paths = Object.entries(provider.calls.byPath).flatMap(([path, count]) => Array(count).fill(path));
  return paths.map((path: string) => (path.includes('/ohlcv/') ? 'candles' : 'prices'));
};

describe('on a plan that has candles', () => {
  it('a chart is one upstream request, and exact', async () => {
    const ask = await clientTo({ plan: 'paid' });

    const { candles, quality } = await ask({ limit: 5 });

    expect(quality).toBe('exact');
    expect(candles.map(({ time_open }) => time_open.slice(0, 10))).toEqual([
      '2026-09-14',
      '2026-09-15',
      '2026-09-16',
      '2026-09-17',
      '2026-09-18',
    ]);
    expect(kinds()).toEqual(['candles']);
  });

  it('a chart of weeks is one upstream request for its days', async () => {
    const ask = await clientTo({ plan: 'paid' });

    const { candles } = await ask({ interval: '7d', limit: 4 });

    expect(candles.map(({ time_open }) => time_open.slice(0, 10))).toEqual([
      '2026-08-22',
      '2026-08-29',
      '2026-09-05',
      '2026-09-12',
    ]);
    expect(kinds()).toEqual(['candles']);
  });
});

describe('on a plan with prices of years, and candles of a month', () => {
  const year = (query: Partial<WindowParameters> = {}) => ({ limit: 366, ...query });

  it.each([
    ['the latest', {}],
    ['of long ago', { start: '2023-05-01' }],
    ['that ended yesterday', { end: '2026-09-17' }],
  ])('366 days, %s, are one request for their prices, and the price before them', async (_when, query) => {
    const ask = await clientTo({ plan: 'starter' });

    const { candles, quality } = await ask(year(query));

    expect([quality, candles.length]).toEqual(['derived', 366]);
    expect(candles[0]?.open).not.toBe(candles[0]?.close);
    expect(kinds()).toEqual(['candles', 'prices']);
  });

  it('another window within the same years costs nothing more', async () => {
    const ask = await clientTo({ plan: 'starter' });
    await ask(year());
    provider.calls.reset();

    await ask(year({ end: '2026-08-31' }));
    await ask(year({ interval: '30d', end: '2026-09-01' }));
    expect(kinds()).toEqual([]);
  });

  it('the running day follows the provider again after two hours', async () => {
    const ask = await clientTo({ plan: 'starter' });
    const [before] = (await ask(year())).candles.slice(-1);
    provider.calls.reset();

    vi.setSystemTime(NOW + 3 * HOUR_MS);
    const { candles, stale } = await ask(year());
    expect([candles.length, stale]).toEqual([366, false]);
    expect(candles.at(-1)?.close).not.toBe(before?.close);
  });
});

describe.each([402, 400] as const)('on the free plan, refusing with %i', (refusalStatus) => {
  it('candles are derived from the price history', async () => {
    const ask = await clientTo({ plan: 'free', refusalStatus });

    const { candles, quality } = await ask({ limit: 5 });

    expect(quality).toBe('derived');
    expect(candles.map(({ time_open }) => time_open.slice(0, 10))).toEqual([
      '2026-09-14',
      '2026-09-15',
      '2026-09-16',
      '2026-09-17',
      '2026-09-18',
    ]);
    for (const [index, { open }] of candles.entries()) {
      if (index > 0) expect(open).toBe(candles[index - 1]?.close);
    }
    expect(kinds()).toEqual(['candles', 'prices']);
  });

  it('a refusal is not paid for again within six hours, for no coin, and once after that', async () => {
    const ask = await clientTo({ plan: 'free', refusalStatus });
    await ask();
    provider.calls.reset();

    await ask({ limit: 31 });
    expect(kinds()).toEqual([]);
    await ask({}, 'eth-ethereum'); // whose refusal tells that it is the plan, and not the first coin
    vi.setSystemTime(NOW + 6 * HOUR_MS - 1);
    await ask({}, 'xrp-xrp');
    expect(kinds()).toEqual(['candles', 'prices', 'prices']);

    provider.calls.reset();
    vi.setSystemTime(NOW + 7 * HOUR_MS);
    await ask({}, 'sol-solana');
    await ask({}, 'ada-cardano');
    expect(kinds()).toEqual(['candles', 'prices', 'prices']);
  });

  it('what the plan does have stays exact', async () => {
    const ask = await clientTo({ plan: 'free', refusalStatus });
    await ask();

    const { quality, candles } = await ask({ limit: 1 });

    expect(quality).toBe('exact');
    expect(candles).toHaveLength(1);
  });

  it('a history that begins before the reach of the plan is cut there, once found out', async () => {
    const ask = await clientTo({ plan: 'free', refusalStatus });

    const { candles } = await ask({ limit: 366 });

    expect(candles[0]?.time_open).toBe('2025-09-19T00:00:00Z');
    expect(candles).toHaveLength(365);
    expect(kinds()).toEqual(['candles', 'prices', 'prices']);

    await ask({ limit: 366 }, 'eth-ethereum');
    provider.calls.reset();
    await ask({ limit: 366 }, 'sol-solana');
    expect(kinds()).toEqual(['prices']);
  });

  it('the hours of one day are all there is of them', async () => {
    const ask = await clientTo({ plan: 'free', refusalStatus });

    const { candles, quality } = await ask({ interval: '1h', limit: 48 });

    expect(quality).toBe('derived');
    expect(candles[0]?.time_open).toBe('2026-09-17T05:00:00Z');
    expect(candles.at(-1)?.time_open).toBe('2026-09-18T04:00:00Z');
  });

  it.each([
    ['1h', 24],
    ['24h', 366],
  ] as const)('what the plan never gave is no doubt about what it gave: %s', async (interval, limit) => {
    const ask = await clientTo({ plan: 'free', refusalStatus });
    const first = await ask({ interval, limit });

    vi.setSystemTime(NOW + 3 * HOUR_MS); // the refusals are forgotten by then
    const later = await ask({ interval, limit });

    expect([later.stale, later.quality, later.candles.length]).toEqual([
      false,
      'derived',
      first.candles.length,
    ]);
  });

  it('what was cut at the reach of the plan is there in an outage, when that reach is no longer known', async () => {
    const ask = await clientTo({ plan: 'free', refusalStatus });
    const { candles: before } = await ask({ interval: '1h', limit: 48 });
    provider.setFault('status=500');
    vi.setSystemTime(NOW + HOUR_MS + 1);

    const { candles, stale } = await ask({ interval: '1h', limit: 48 });

    expect([candles, stale]).toEqual([before, true]);
    const beyond = ask({ interval: '1h', start: '2026-09-10', end: '2026-09-11' });
    await expect(beyond).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/; allowed: from 2026-09-17T05:00:00Z on$/),
    });
  });

  it('a window beyond the plan is a 400 that says from when on there are prices, then without asking', async () => {
    const ask = await clientTo({ plan: 'free', refusalStatus });
    const asked = { start: '2024-01-01', end: '2024-01-31' };

    for (const expectedCalls of [['candles', 'prices'], []]) {
      const error = await ask(asked).catch((thrown: Error) => thrown);

      expect(error).toMatchObject({
        statusCode: 400,
        message: expect.stringMatching(
          /^The provider's plan has no prices for this interval so far back; allowed: from 2025-09-19T00:00:00Z on$/,
        ),
      });
      expect(kinds()).toEqual(expectedCalls);
      provider.calls.reset();
    }
  });

  it('a refusal is not covered up by an older answer', async () => {
    const day = { start: '2026-09-18', end: '2026-09-18' };
    const ask = await clientTo({ plan: 'free', refusalStatus });
    expect((await ask(day)).quality).toBe('exact');

    vi.setSystemTime(NOW + DAY_MS);
    const { quality, stale } = await ask(day);

    expect([quality, stale]).toEqual(['derived', false]);
    expect(kinds()).toEqual(['candles', 'candles', 'candles', 'prices']);
  });
});

describe('a history that cannot be true beside the one at hand, of a coin whose price nobody knows', () => {
  it('is refused for two days; by then the one at hand may have been the false one', async () => {
    const ask = await clientTo(
      { plan: 'paid', faults: { coinpaprika: 'lie=scaled' } },
      async () => undefined,
    );
    const { candles: scaled } = await ask({ limit: 5 });
    provider.setFault(null);

    vi.setSystemTime(NOW + DAY_MS);
    expect(await ask({ limit: 5 })).toMatchObject({ stale: true, candles: scaled.slice(1) });

    vi.setSystemTime(NOW + 2 * DAY_MS);
    const { stale, candles } = await ask({ limit: 5 });
    expect(stale).toBe(false);
    expect(candles[0]?.close).toBeCloseTo((scaled[2]?.close ?? 0) / 100, 5);
  });
});

describe('whatever the plan', () => {
  it('an unknown coin is a 404', async () => {
    const ask = await clientTo({});

    await expect(ask({}, 'no-coin')).rejects.toMatchObject({
      statusCode: 404,
      message: 'Unknown coin id: no-coin',
    });
  });

  it('an outage is not taken for a refusal', async () => {
    const ask = await clientTo({ plan: 'free', faults: { coinpaprika: 'status=500x1' } });
    await expect(ask()).rejects.toMatchObject({ statusCode: 502 });

    await ask();

    expect(kinds()).toEqual(['candles', 'candles', 'prices']);
  });
});
