import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SimulatedSource, startSimulated } from '../../../local/simulated/index.ts';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import { call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { route } from './route.ts';

const NOW = Date.UTC(2026, 8, 18, 4, 10, 30);
/** The simulated provider's cached data was made half a minute before. */
const MADE_AT = '2026-09-18T04:10:00.000Z';

let provider: SimulatedSource;

interface Given {
  /** The plan in the settings. */
  readonly setting?: 'ultimate' | 'free';
  readonly refusalStatus?: 400 | 402;
}

async function coldStart(plan: 'free' | 'paid', given: Given = {}): Promise<void> {
  const { setting = plan === 'paid' ? 'ultimate' : 'free', ...others } = given;
  provider = (await startSimulated({ plan, ...others })).provider;
  vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
  vi.stubEnv('COINPAPRIKA_PLAN', setting);
  await served.coldStart();
  // The candles are compared with the coin's ticker.
  const { handler: ticker } = await import('../ticker/handler.ts');
  await call(ticker, { path: '/api/marketdata/ticker/btc-bitcoin', pathParameters: { id: 'btc-bitcoin' } });
  provider.calls.reset();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('COINPAPRIKA_API_KEY', undefined);
  vi.stubEnv('UPSTREAM_TIMEOUT_MS', '10000');
  vi.stubEnv('STALE_WAIT_MS', '10000');
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await provider.close();
});

const served = underTest(route, () => import('./handler.ts'));
const { dataIn } = served;
const ohlcv = (query = '', id = 'btc-bitcoin') => served.ask({ pathParameters: { id }, query });
const dataOf = async (query = '') => dataIn(await ohlcv(query));

describe('candles', () => {
  it('are the provider’s own if the plan has them', async () => {
    await coldStart('paid');
    const path = '/coins/btc-bitcoin/ohlcv/historical?start=2026-09-16T00:00:00Z&interval=24h&limit=3';
    const data = await (await fetch(provider.url + path)).json();

    const answer = await ohlcv('limit=3');

    expect(answer).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'simulated',
        'x-data-quality': 'exact',
        'x-data-time': MADE_AT,
        // As long as the ticker, which the running candle follows.
        'cache-control': 'public, max-age=60, must-revalidate, stale-if-error=0',
      },
      body: {
        success: true,
        data: { coinId: 'btc-bitcoin', interval: '24h', quote: 'usd', count: 3, data },
      },
    });
    expect(dataIn(answer).count).toBe(3);
  });

  it('are 30 days in US dollars by default', async () => {
    await coldStart('paid');

    const { count, data } = await dataOf();

    expect(count).toBe(30);
    expect(data).toHaveLength(30);
    expect(data.at(-1)?.time_open).toBe('2026-09-18T00:00:00Z');
    expect(await ohlcv('interval=24h&limit=30&quote=usd')).toMatchObject({ body: { data: { data } } });
    expect(provider.calls.total).toBe(1);
  });

  it('have exactly the documented fields, and with provenance=true source, quality and completeness', async () => {
    await coldStart('paid');
    const plain = (await dataOf('interval=7d&limit=3')).data;
    const withProvenance = (await dataOf('interval=7d&limit=3&provenance=true')).data;

    const fields = ['time_open', 'time_close', 'open', 'high', 'low', 'close', 'volume', 'market_cap'];
    for (const candle of plain) expect(Object.keys(candle)).toEqual(fields);
    const hours = (await dataOf('interval=1h&limit=2&provenance=true')).data;
    expect(hours.map((candle) => candle.complete)).toEqual([true, false]);
    // The last week is not over, because today is not.
    const made = { quality: 'exact', source: 'simulated' };
    expect(withProvenance).toEqual(
      plain.map((candle, index) => ({ ...candle, ...made, complete: index < 2 })),
    );
    expect((await dataOf('interval=7d&limit=3&provenance=false')).data).toEqual(plain);
    expect(provider.calls.total).toBe(2);
  });

  it('are fetched once for each coin and base interval, whatever the window and quote', async () => {
    await coldStart('paid');
    const days = [
      'limit=5',
      'limit=6',
      'limit=366',
      'start=2026-09-01&limit=5',
      'end=2026-02-01',
      'interval=30d',
    ];

    for (const query of days) expect(await ohlcv(query)).toMatchObject({ status: 200 });
    expect(provider.calls.total).toBe(1);

    const { data } = await dataOf('quote=btc&limit=5');
    expect(data.map(({ close }) => close)).toEqual([1, 1, 1, 1, 1]);
    await ohlcv('interval=1h&limit=5');
    expect(provider.calls.total).toBe(2);
  });

  it('of long ago are fetched in pieces of fixed beginnings, so that half a year takes one request', async () => {
    await coldStart('paid');

    for (let day = 1; day <= 28; day += 1) {
      const { data } = await dataOf(`start=2021-03-${String(day).padStart(2, '0')}&limit=90`);
      expect(data).toHaveLength(90);
    }
    expect(provider.calls.total).toBeLessThanOrEqual(2);
  });

  it('are held until the running one closes', async () => {
    await coldStart('paid');
    const { headers } = await ohlcv('interval=1h&limit=2');

    vi.setSystemTime(Date.UTC(2026, 8, 18, 4, 59, 59));
    const kept = await ohlcv('interval=1h&limit=2');
    expect(kept.headers).toMatchObject({
      'x-data-time': headers['x-data-time'],
      'cache-control': publicFor(1),
    });
    expect(provider.calls.total).toBe(1);

    vi.setSystemTime(Date.UTC(2026, 8, 18, 5));
    const { data } = await dataOf('interval=1h&limit=2');
    expect(data.at(-1)?.time_open).toBe('2026-09-18T05:00:00Z');
  });
});

describe('on the free plan', () => {
  it('candles are derived from the price history, and marked as derived', async () => {
    await coldStart('free');

    const answer = await ohlcv('limit=5');

    expect(answer).toMatchObject({
      status: 200,
      headers: { 'x-data-source': 'simulated', 'x-data-quality': 'derived', 'x-data-time': MADE_AT },
    });
    const { count, data } = dataIn(answer);
    expect(count).toBe(5);
    expect(data.slice(1).map(({ open }) => open)).toEqual(data.slice(0, -1).map(({ close }) => close));
    expect(Object.keys(provider.calls.byPath)).toEqual([
      expect.stringContaining('/tickers/btc-bitcoin/historical?start=2025-09-19'),
    ]);
  });

  it('a time beyond its history is a 400 with the earliest start that is served', async () => {
    await coldStart('free');
    const { body } = await ohlcv('start=2020-01-01&limit=1');
    const [, earliest = ''] =
      /^The provider's plan has no prices .*; allowed: from (\S+) on$/.exec(
        (body as { error: string }).error,
      ) ?? [];
    const before = new Date(Date.parse(earliest) - 1000).toISOString();

    const { count, data } = await dataOf(`start=${earliest}&limit=1`);

    expect([count, data[0]?.time_open]).toEqual([1, earliest]);
    expect((await ohlcv(`start=${before}&limit=1`)).status).toBe(400);
  });
});

describe('a refusal', () => {
  it('of parameters is a 400 without an upstream request', async () => {
    await coldStart('paid');
    const text = 'Invalid parameter start: "2026-09-19"; allowed: a time that is not in the future';
    expect(await ohlcv('start=2026-09-19')).toEqual({
      ...{ status: 400, headers: refusalHeaders(100), body: failure(text) },
    });
    expect(provider.calls.total).toBe(0);
  });

  it('for an exceeded limit is no refusal of the plan', async () => {
    await coldStart('paid');
    provider.setFault('limit');
    expect(await ohlcv('limit=1')).toMatchObject({
      status: 429,
      body: failure(expect.stringMatching(/^Rate limit exceeded: /)),
    });

    provider.setFault(null);
    provider.calls.reset();
    vi.setSystemTime(NOW + 120_000);
    expect((await ohlcv('limit=1')).status).toBe(200);
    expect(Object.keys(provider.calls.byPath)).toEqual([expect.stringContaining('/ohlcv/')]);
  });

  it.each([402, 400] as const)(
    'of %i by a smaller plan than the settings name comes once, then no more for an hour',
    async (refusalStatus) => {
      await coldStart('free', { setting: 'ultimate', refusalStatus });

      const first = await ohlcv('limit=366');
      const refused = provider.calls.total;
      const other = await ohlcv('limit=366', 'eth-ethereum');

      expect(first.headers).toMatchObject({ 'x-data-quality': 'derived', 'x-data-source': 'simulated' });
      // The year of free history begins within its first day, which is therefore incomplete.
      expect([dataIn(first).count, dataIn(other).count]).toEqual([365, 365]);
      expect([refused, provider.calls.total]).toEqual([3, 4]);
    },
  );
});

describe('the last good candles', () => {
  it('are served as stale while the provider fails', async () => {
    await coldStart('paid');
    const good = await dataOf('limit=30');
    provider.setFault('status=500');
    const freshUntil = Date.now() + 2 * 3_600_000;

    vi.setSystemTime(freshUntil + 7 * DAY_MS - 1000);
    const stale = await ohlcv('limit=30');
    const closed = await ohlcv('start=2026-09-01&end=2026-09-05');

    expect(stale).toMatchObject({
      status: 200,
      headers: { 'x-data-quality': 'stale', 'cache-control': publicFor(0) },
    });
    // The last seven days are missing, and the window has moved on by as many.
    expect(dataIn(stale).data).toEqual(good.data.slice(7));
    expect(closed).toMatchObject({ status: 200, headers: { 'x-data-quality': 'exact' } });
  });
});
