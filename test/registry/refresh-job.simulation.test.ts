import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { startStubbedS3 } from '../s3.ts';
import { nextDay } from './provider-lists.ts';

const NOON = new Date().setUTCHours(12, 0, 0, 0);
const MANIFEST = '/registry-bucket/registry/manifest.v3.json';
const LISTINGS = '/sources-bucket/sources/listings.v1';
const EXCHANGES = ['coinbase', 'kraken', 'binance'];

/** The provider's rows of an exchange's markets: so many coins in USD. */
function rows(coins: number, given: Readonly<Record<string, unknown>> = {}) {
  return Array.from({ length: coins }, (_, n) => ({
    ...{ pair: `C${n}/USD`, base_currency_id: `c${n}-coin`, category: 'Spot', outlier: false, ...given },
  }));
}

describe('the daily job, against a real server in place of S3 and of the provider', () => {
  let s3: S3Server;
  let provider: Server;
  let answer: { status: number; list: unknown };
  let asked: string[];
  /** The answers about markets, by exchange; any other has ten markets. */
  let markets: Record<string, { status: number; list: unknown }>;

  beforeEach(async () => {
    s3 = await startStubbedS3();
    answer = { status: 200, list: simulatedEntries(500) };
    asked = [];
    markets = {};
    provider = createServer((request, response) => {
      asked.push(request.url ?? '');
      const [, exchange] = /\/exchanges\/(\w+)\/markets$/.exec(request.url ?? '') ?? [];
      const { status, list } =
        exchange === undefined ? answer : (markets[exchange] ?? { status: 200, list: rows(10) });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    });
    provider.listen(0, '127.0.0.1');
    await once(provider, 'listening');
    // In the first seconds of a day, no part of the daily quota is available yet.
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    vi.stubEnv('REGISTRY_BUCKET', 'registry-bucket');
    vi.stubEnv('SOURCES_BUCKET', 'sources-bucket');
    vi.stubEnv('ID_SOURCES', '');
    vi.stubEnv('COINPAPRIKA_BASE_URL', `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`);
    vi.resetModules();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
    provider.close();
    await s3.close();
  });

  async function run() {
    vi.setSystemTime(Date.now() + 1000);
    const { handler } = await import('../../functions/marketdata/jobs/registry/handler.ts');
    return handler();
  }
  async function counted() {
    const { takeMetrics } = await import('../../shared/platform/metrics.ts');
    return JSON.parse(takeMetrics('n') ?? '');
  }
  const manifest = () => JSON.parse(String(s3.objects.get(MANIFEST)));

  it('makes a request for the coins and one for each exchange, and publishes an index that opens', async () => {
    const { openRegistryBytes } = await import('../../shared/registry/registry.ts');

    const { version, entries } = await run();

    expect(asked).toEqual(['/v1/coins', ...EXCHANGES.map((name) => `/v1/exchanges/${name}/markets`)]);
    expect(entries).toBe(500);
    expect(manifest()).toMatchObject({ version, source: 'live', entries: 500 });
    const bytes = s3.objects.get(`/registry-bucket/registry/${manifest().index}`) ?? Buffer.of();
    expect(openRegistryBytes(bytes, manifest()).resolveSymbol('btc')).toBe('btc-bitcoin');
  });

  it('reads the remaining requests of a paid plan first, and publishes even if that fails', async () => {
    vi.stubEnv('COINPAPRIKA_API_KEY', 'a-key-of-a-paid-plan');

    const { plan, published } = await run();

    expect(asked.slice(0, 2)).toEqual(['/v1/key/info', '/v1/coins']);
    expect([plan, published]).toEqual([
      'CoinPaprika gave an unusable answer: the answer is not an object',
      true,
    ]);
  });

  it('replaces one that was built by a clock in the future', async () => {
    vi.setSystemTime(NOON + 73 * 365 * 86_400_000);
    await run();
    vi.setSystemTime(NOON);
    const before = manifest().builtAt;

    expect(await run()).toMatchObject({ published: true });
    expect(Date.parse(manifest().builtAt)).toBeLessThan(Date.parse(before));
  });

  it('replaces yesterday’s by that of today', async () => {
    await run();
    const before = manifest().version;
    answer.list = nextDay(simulatedEntries(500));

    expect(await run()).toMatchObject({ published: true });
    expect(manifest().version).not.toBe(before);
  });

  it('keeps the last good list if the provider’s cannot be true, and says why', async () => {
    await run();
    const before = new Map(s3.objects);
    answer.list = simulatedEntries(399);

    await expect(run()).rejects.toThrow(
      "The provider's list was not published: it has 399 entries where the last good list has 500",
    );
    expect(s3.objects).toEqual(before);
    expect(await counted()).toMatchObject({ RegistryPublished: 1, RegistryImplausible: 1 });
  });

  it('publishes the others if some entries are wrong, counts those and names a few in its log', async () => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const [first, ...others] = simulatedEntries(500);
    const long = { ...first, id: 'long', name: 'n'.repeat(1001) };
    answer.list = [first, ...others, { ...first, id: 'unranked', rank: null }, first, long];

    expect(await run()).toMatchObject({ published: true, entries: 500 });

    expect(manifest()).toMatchObject({ entries: 500 });
    expect(await counted()).toMatchObject({ RowsUnreadable: 3, RegistryPublished: 1 });
    expect(log.mock.calls).toContainEqual([
      expect.stringMatching(
        /^3 of 503 entries of the coin list were left out: Entry 500 \("unranked"\): rank is null/,
      ),
    ]);
    log.mockRestore();
  });

  it('counts a list that is older than the published one', async () => {
    await run();
    const builtAt = new Date(Date.now() + 60_000).toISOString();
    s3.objects.set(MANIFEST, Buffer.from(JSON.stringify({ ...manifest(), builtAt })));

    expect(await run()).toMatchObject({ published: false });

    expect(manifest()).toMatchObject({ builtAt });
    expect(await counted()).toMatchObject({ RegistryPublished: 1, RegistryOutdated: 1 });
  });

  it('replaces a registry of an earlier format, whose manifest it cannot read', async () => {
    s3.objects.set(MANIFEST, Buffer.from('{"index":"coins-0.idx","formatVersion":2,"entries":56000}'));

    const { version } = await run();

    expect(manifest()).toMatchObject({ version, entries: 500 });
  });

  it.each([
    ['fails', { status: 503, list: {} }, /CoinPaprika answered 503/],
    ['sends something else', { status: 200, list: { error: 'x' } }, /list/],
    ['sends an entry without a symbol', { status: 200, list: [{ id: 'a-b', name: 'B' }] }, /symbol/],
  ])('publishes nothing if the provider %s', async (_failure, given, error) => {
    answer = given;

    await expect(run()).rejects.toThrow(error);
    expect(s3.objects.size).toBe(0);
    expect(await counted()).toMatchObject({ RegistryNotPublished: 1 });
  });

  describe('and the lists of markets', () => {
    const stored = () => JSON.parse(String(s3.objects.get(LISTINGS))).exchanges;
    const pairs = (name: string) => Object.keys(stored()[name]?.coins ?? {}).length;

    it('are stored for the enabled exchanges', async () => {
      vi.stubEnv('CANDLE_SOURCES', 'kraken');
      expect(await run()).toMatchObject({ published: true, markets: { kraken: 10 } });
      expect(asked).toEqual(['/v1/coins', '/v1/exchanges/kraken/markets']);
      expect(stored()).toEqual({
        kraken: {
          at: Date.now(),
          coins: Object.fromEntries(rows(10).map((row) => [row.pair, row.base_currency_id])),
        },
      });
    });

    it.each([
      ['is unknown', { status: 404, list: { error: 'id not found' } }, 'CoinPaprika answered 404'],
      ['fails', { status: 403, list: {} }, 'CoinPaprika answered 403'],
      ['is something else', { status: 200, list: {} }, /the answer is not a list/],
      ['is empty', { status: 200, list: [] }, 'a list without markets'],
      ['has outliers only', { status: 200, list: rows(10, { outlier: true }) }, 'a list without markets'],
      [
        'is mostly unreadable',
        { status: 200, list: [...rows(12), ...rows(13, { pair: 7 })] },
        /13 of 25 markets/,
      ],
      ['lost a fifth and more', { status: 200, list: rows(7) }, 'a list of 7 markets after one of 10'],
    ])(
      'one that %s leaves the last one of its exchange, and the registry is published',
      async (_what, given, reason) => {
        await run();
        const { coinbase: before } = stored();
        markets = { coinbase: given, kraken: { status: 200, list: rows(12) } };
        const report = await run();
        expect(report).toMatchObject({
          published: true,
          markets: { coinbase: expect.stringMatching(reason), kraken: 12, binance: 10 },
        });
        expect(stored().coinbase).toEqual(before);
        expect(pairs('kraken')).toBe(12);
        expect(await counted()).toMatchObject({ RegistryPublished: 2, SourceRefused: 1 });
      },
    );

    it('are not fetched if no exchange is enabled', async () => {
      vi.stubEnv('CANDLE_SOURCES', '');
      expect(await run()).toMatchObject({ published: true, markets: {} });
      expect(asked).toEqual(['/v1/coins']);
      expect(s3.objects.has(LISTINGS)).toBe(false);
    });

    it('that all fail at first store nothing, and do not keep the registry from being published', async () => {
      const failing = { status: 403, list: {} };
      markets = Object.fromEntries(EXCHANGES.map((name) => [name, failing]));
      expect(await run()).toMatchObject({ published: true });
      expect(s3.objects.has(LISTINGS)).toBe(false);
      expect(manifest()).toMatchObject({ entries: 500 });
    });

    it('that cannot be stored leave the last ones', async () => {
      await run();
      s3.failing = LISTINGS;
      const before = s3.objects.get(LISTINGS);
      expect(await run()).toMatchObject({
        published: true,
        markets: { coinbase: expect.any(String), kraken: expect.any(String), binance: expect.any(String) },
      });
      expect(s3.objects.get(LISTINGS)).toEqual(before);
    });

    it('that are damaged are set aside and stored anew', async () => {
      s3.objects.set(LISTINGS, Buffer.from('{"version":1}'));
      expect(await run()).toMatchObject({ markets: { coinbase: 10 } });
      expect(pairs('binance')).toBe(10);
      expect([...s3.objects.keys()].filter((name) => name.includes('set-aside/listings.v1'))).toHaveLength(1);
    });

    it('leave out rows that cannot be read, and state no coin for a pair with several', async () => {
      const list = [
        ...rows(8),
        { ...rows(1)[0], pair: null },
        { ...rows(1)[0], base_currency_id: '' },
        { ...rows(1)[0], category: 'Futures', base_currency_id: 'other' },
        { ...rows(1)[0], base_currency_id: 'other', outlier: true },
        { ...rows(1)[0], pair: 'c7/USD', base_currency_id: 'other' },
        { ...rows(1)[0], pair: 'ONE/TWO/USD' },
      ];
      markets = { coinbase: { status: 200, list } };
      await run();
      const { coins } = stored().coinbase;
      expect(Object.keys(coins)).toHaveLength(8);
      expect(coins).toMatchObject({ 'C0/USD': 'c0-coin', 'C7/USD': null });
      expect(await counted()).toMatchObject({ RowsUnreadable: 3 });
    });
  });
});
