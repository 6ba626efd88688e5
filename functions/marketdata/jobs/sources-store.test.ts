import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../../local/s3.ts';
import type { CoinQuotes } from '../../../shared/marketdata/sources/source-map.ts';
import { takeMetrics } from '../../../shared/platform/metrics.ts';
import { ConditionFailed } from '../../../shared/platform/publish-object.ts';
import { startStubbedS3 } from '../../../test/s3.ts';
import { type PublishedMap, sourcesStore } from './sources-store.ts';

const FOLDER = '/bucket/sources/';
const SINCE = Date.UTC(2026, 10, 22);

function mapOf(coin: string): PublishedMap {
  const market = { exchange: 'coinbase', market: 'BTC-USD', quote: 'USD', since: SINCE } as const;
  return { coins: new Map([[coin, [market]]]), state: { takenAt: SINCE, exchanges: [] }, at: SINCE };
}

const quotes: CoinQuotes = {
  takenAt: SINCE,
  coins: new Map([
    ['btc-bitcoin', [{ exchange: 'kraken', market: 'XBTUSD', price: 1, change: null, at: null }]],
  ]),
};

describe('the sources in a real server in place of S3', () => {
  let s3: S3Server;
  beforeEach(async () => {
    s3 = await startStubbedS3();
  });
  afterEach(async () => {
    takeMetrics('n');
    vi.unstubAllEnvs();
    await s3.close();
  });

  const store = () => sourcesStore('bucket');
  const mapPath = () => [...s3.objects.keys()].find((path) => path.startsWith(`${FOLDER}map-`)) ?? '';
  const unusable = () => JSON.parse(takeMetrics('n') ?? '{}').HistoryUnusable ?? 0;

  it('are undefined before the first run, and nothing is counted', async () => {
    expect(await store().map()).toBeUndefined();
    expect(await store().quotes()).toBeUndefined();
    expect(await store().publishedMap()).toEqual({ content: undefined, etag: undefined });
    expect(unusable()).toBe(0);
  });

  it('are read as they were published, the map before the manifest that names it', async () => {
    await store().publishMap(mapOf('btc-bitcoin'), undefined);
    await store().publishQuotes(quotes, undefined);
    expect(s3.requests).toEqual([
      expect.stringMatching(/^PUT \/bucket\/sources\/map-[\da-f]{16}$/),
      `PUT ${FOLDER}manifest.v1`,
      `PUT ${FOLDER}quotes.v1`,
    ]);
    expect(await store().map()).toEqual(mapOf('btc-bitcoin'));
    expect(await store().quotes()).toEqual(quotes);
  });

  it('are replaced by who has read them, and by nobody who was slower', async () => {
    await store().publishMap(mapOf('a'), undefined);
    const { etag } = await store().publishedMap();
    await store().publishMap(mapOf('b'), etag);

    await expect(store().publishMap(mapOf('c'), etag)).rejects.toThrow(ConditionFailed);
    await expect(store().publishMap(mapOf('c'), undefined)).rejects.toThrow(ConditionFailed);
    expect((await store().map())?.coins.keys().next().value).toBe('b');
  });

  it.each([
    ['is damaged', () => s3.objects.set(mapPath(), Buffer.from('{"version":1,"coins":{}}'))],
    ['is gone', () => s3.objects.delete(mapPath())],
    [
      'has a manifest that is cut',
      () => s3.objects.set(`${FOLDER}manifest.v1`, Buffer.from('{"version":1,')),
    ],
    [
      'has a manifest of a newer version',
      () => s3.objects.set(`${FOLDER}manifest.v1`, Buffer.from('{"version":2}')),
    ],
    [
      'has a manifest that names another object',
      () =>
        s3.objects.set(
          `${FOLDER}manifest.v1`,
          Buffer.from('{"version":1,"map":"quotes","sha256":"00","at":1}'),
        ),
    ],
  ])('are undefined and counted if the map %s, and can be replaced', async (_how, spoil) => {
    await store().publishMap(mapOf('a'), undefined);
    spoil();
    expect(await store().map()).toBeUndefined();
    expect(unusable()).toBe(1);

    await store().publishMap(mapOf('b'), (await store().publishedMap()).etag);
    expect(await store().map()).toEqual(mapOf('b'));
  });

  it.each(['', '[]', 'null', '{"version":1}', '{"version":2,"takenAt":1,"coins":{}}'])(
    'have no quotes in %j',
    async (text) => {
      s3.objects.set(`${FOLDER}quotes.v1`, Buffer.from(text));
      expect(await store().quotes()).toBeUndefined();
      expect(unusable()).toBe(1);
    },
  );

  it('throw what S3 answers, because then nobody knows what is there', async () => {
    s3.failing = `${FOLDER}manifest.v1`;
    await expect(store().map()).rejects.toThrow('S3 answered 500');
  });
});
