import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { openSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import { readTicker } from '../../shared/marketdata/ticker.ts';
import { counted } from '../counted.ts';
import { startStubbedS3 } from '../s3.ts';
import { snapshotOf, tickerOf } from './tickers.ts';

const OBJECT = '/bucket/snapshot/tickers.v4';
const ids = (count: number) => Array.from({ length: count }, (_, n) => `coin-${n}`);

describe('the snapshot job, against a real server in place of S3', () => {
  let s3: S3Server;

  beforeEach(async () => {
    s3 = await startStubbedS3();
    vi.stubEnv('SNAPSHOT_BUCKET', 'bucket');
    vi.stubEnv('SNAPSHOT_MINUTES', '5');
    vi.resetModules(); // a cold start
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.close();
  });

  async function run() {
    const { handler } = await import('../../functions/marketdata/jobs/snapshot/handler.ts');
    return handler();
  }
  const published = () => openSnapshot(s3.objects.get(OBJECT) ?? Buffer.of());

  describe('and the simulated provider', () => {
    let provider: SimulatedSource;
    beforeEach(async () => {
      const now = Date.now();
      provider = (await startSimulated({ now: () => now })).provider;
      vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
    });
    afterEach(() => provider.close());

    it('makes one request and publishes each coin as the provider’s single ticker has it', async () => {
      const { rows } = await run();

      expect(provider.calls.byPath).toEqual({ '/tickers': 1 });
      expect(rows).toBeGreaterThan(200);
      expect(published()).toMatchObject({ rows, intervalMs: 300_000, source: 'simulated' });
      expect(Date.now() - published().takenAt).toBeLessThan(65_000);
      for (const id of ['btc-bitcoin', 'eth-ethereum', 'toto-totoro-inu-?', '战旗-战旗']) {
        const alone = await fetch(`${provider.url}/tickers/${encodeURIComponent(id)}`);
        expect(published().ticker(id)?.data).toEqual(readTicker(await alone.json()));
      }
    });

    it.each([
      ['status=500', /^CoinPaprika answered 500$/],
      ['huge', /^Not published: no tickers \(\d+ rows are unreadable or implausible, such as/],
    ])('publishes nothing if the provider fails: %s', async (fault, error) => {
      provider.setFault(fault);

      await expect(run()).rejects.toThrow(error);
      expect(s3.objects.size).toBe(0);
      expect(await counted()).toMatchObject({
        SnapshotNotPublished: 1,
        SnapshotPublished: 0,
      });
    });
  });

  describe('and a provider with a list of our own', () => {
    let list: unknown;
    beforeEach(async () => {
      const provider = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
      });
      provider.listen(0, '127.0.0.1');
      await once(provider, 'listening');
      onTestFinished(() => void provider.close());
      vi.stubEnv('COINPAPRIKA_BASE_URL', `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`);
    });
    const tickerOfNow = (id: string, price = 1) => tickerOf(id, price, Date.now() - 60_000);
    const answer = (count: number) => {
      list = ids(count).map((id) => tickerOfNow(id));
    };
    const publishEarlier = (count: number, hoursAgo: number) => {
      const takenAt = Date.now() - hoursAgo * 3_600_000;
      const tickers = ids(count).map((id) => tickerOf(id, 1, takenAt - 60_000));
      s3.objects.set(OBJECT, Buffer.from(snapshotOf([], { tickers, takenAt })));
    };

    it('leaves out, names and counts unreadable rows', async () => {
      list = [
        tickerOfNow('a'),
        { id: 'b', name: 'B', symbol: 'B' },
        7,
        tickerOfNow('a', 2),
        tickerOfNow('c'),
      ];

      expect(await run()).toEqual({
        rows: 2,
        carried: 0,
        unreadable: 3,
        such: ['b: quotes is not an object', 'row 2: the ticker is not an object', 'a: its id came before'],
        held: [],
        figuresHeld: 0,
        disputed: 0,
        disputes: [],
      });
      expect(published().ticker('a')?.data.quotes.USD.price).toBe(1);
      expect(published().ticker('b')).toBeUndefined();
      expect(await counted()).toMatchObject({
        SnapshotRowUnreadable: 3,
        SnapshotPublished: 1,
        UpstreamOk: 1,
      });
    });

    it('accepts a list that lost a fifth of its rows, and none that lost more', async () => {
      publishEarlier(100, 1);
      answer(80);
      expect(await run()).toMatchObject({ rows: 80 });
      answer(63);
      await expect(run()).rejects.toThrow('Not published: 63 tickers, where the published list has 80');
      expect(published().rows).toBe(80);
    });

    it('does not compare with a snapshot that is a day old or damaged', async () => {
      answer(10);
      publishEarlier(100, 25);
      expect(await run()).toMatchObject({ rows: 10 });
      s3.objects.set(OBJECT, Buffer.from('damaged'));
      expect(await run()).toMatchObject({ rows: 10 });
    });

    it('never replaces a newer snapshot', async () => {
      answer(10);
      publishEarlier(10, -30 / 3600); // another job's, whose clock is half a minute ahead
      const newer = s3.objects.get(OBJECT);

      await expect(run()).rejects.toThrow('Not published: a list that is not newer than the published one');
      expect(s3.objects.get(OBJECT)).toBe(newer);
    });

    it('replaces a snapshot from the future', async () => {
      answer(10);
      publishEarlier(100, -24);

      expect(await run()).toMatchObject({ rows: 10, carried: 0 });
      expect(published().takenAt).toBeLessThanOrEqual(Date.now());
    });

    it('refuses an answer of more than 32 MB', async () => {
      list = 'x'.repeat(32 * 1024 * 1024);
      await expect(run()).rejects.toThrow('the answer is larger than 32 MB');
    });
  });
});
