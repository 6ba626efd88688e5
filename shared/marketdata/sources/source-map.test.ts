import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../../local/s3.ts';
import { startStubbedS3 } from '../../../test/s3.ts';
import { takeMetrics } from '../../platform/metrics.ts';
import { ConditionFailed } from '../../platform/objects.ts';
import { type CoinQuotes, type PublishedMap, sourcesReader, sourcesStore } from './source-map.ts';

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
  const map = async () => (await sourcesReader('bucket').map()).content;
  const readQuotes = async () => (await sourcesReader('bucket').quotes()).content;
  const unusable = () => JSON.parse(takeMetrics('n') ?? '{}').HistoryUnusable ?? 0;

  it('are read as they were published, each in one put', async () => {
    await store().putMap(mapOf('btc-bitcoin'), undefined);
    await store().putQuotes(quotes, undefined);
    expect(s3.requests).toEqual([`PUT ${FOLDER}map.v2`, `PUT ${FOLDER}quotes.v1`]);
    expect(await map()).toEqual(mapOf('btc-bitcoin'));
    expect(await readQuotes()).toEqual(quotes);
  });

  it('are replaced by who has read them, and by nobody who was slower', async () => {
    await store().putMap(mapOf('a'), undefined);
    const { etag } = await store().map();
    await store().putMap(mapOf('b'), etag);

    await expect(store().putMap(mapOf('c'), etag)).rejects.toThrow(ConditionFailed);
    await expect(store().putMap(mapOf('c'), undefined)).rejects.toThrow(ConditionFailed);
    expect((await map())?.coins.keys().next().value).toBe('b');
  });

  it.each(['{"version":2,', '{"version":3}', '{"version":2,"coins":{}}', 'null'])(
    'are undefined and counted if the map and the quotes are %j',
    async (text) => {
      for (const name of ['map.v2', 'quotes.v1']) s3.objects.set(FOLDER + name, Buffer.from(text));
      expect([await map(), await readQuotes()]).toEqual([undefined, undefined]);
      expect(unusable()).toBe(2);
    },
  );
});
