import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sourcesStore } from '../../shared/marketdata/sources/source-map.ts';
import { openSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import { hoursIn } from '../../shared/marketdata/store/snapshot-hours.ts';
import { type Clock, clockAt } from '../contract/clock.ts';
import { snapshotOf, tickerOf } from '../snapshot/tickers.ts';
import { type Death, runUntilKilled } from './deadly-s3.ts';
import { startExchange } from './exchanges.ts';
import { BUCKET, DAY_MS, HOUR_MS, MINUTE_MS, pathOf, runsBetween } from './market.ts';
import { type HistoryBench, startHistory } from './store.ts';

const START = Date.UTC(2026, 9, 30);
/** Twelve processes, which each load the AWS SDK. */
const PROCESSES_MS = 120_000;
const SNAPSHOT = `/${BUCKET}/snapshot/tickers.v3`;

const deathsOf = (puts: number): Death[] =>
  Array.from({ length: puts }, (_, put) => [true, false].map((isPut) => ({ put: put + 1, isPut }))).flat();

describe('a job killed just before or after any of its puts, by SIGKILL', () => {
  let history: HistoryBench;
  let clock: Clock;
  beforeEach(async () => {
    history = await startHistory();
  });
  afterEach(async () => {
    clock.close();
    await history.close();
  });

  it('leaves a roll-up that the next run ends as if nothing had been', {
    timeout: PROCESSES_MS,
  }, async () => {
    const now = START + DAY_MS + 3 * HOUR_MS;
    clock = clockAt(now);
    const runs = runsBetween(START + 20 * HOUR_MS, START + DAY_MS + HOUR_MS, 60, ['a', '战旗-战旗']);
    history.put(runs);
    const samples = new Map(history.s3.objects);
    await history.rollUpAt(now);
    const expected = history.made();
    const puts = history.s3.requests.filter((one) => one.startsWith('PUT')).length;
    expect(puts).toBe(8); // the week, two days of hours, two coins’ days and hours, the note

    const given = { job: 'roll-up', objects: samples, env: {}, execArgv: clock.execArgv };
    const ends = await Promise.all(deathsOf(puts).map((death) => runUntilKilled(death, given)));

    for (const objects of ends) {
      history.s3.objects.clear();
      for (const [path, bytes] of objects) history.s3.objects.set(path, bytes);
      await history.rollUpAt(now);
      expect(history.made()).toEqual(expected);
    }
  });

  it('leaves the past at exchanges that the next run completes as if nothing had been, asked for once', {
    timeout: PROCESSES_MS,
  }, async () => {
    const now = START + 5 * HOUR_MS + 20 * MINUTE_MS;
    clock = clockAt(now);
    const exchange = await startExchange('binance', (_market, opensAt) => {
      const price = 100 + Math.sin(opensAt / DAY_MS);
      return [price, price + 3, price - 3, price + 1];
    });
    const names = {
      SOURCES_BUCKET: BUCKET,
      SNAPSHOT_BUCKET: BUCKET,
      CANDLE_SOURCES: 'binance',
      BINANCE_BASE_URL: exchange.url,
    };
    for (const [name, value] of Object.entries(names)) vi.stubEnv(name, value);
    const markets = [{ exchange: 'binance', market: 'AUSD', quote: 'USD' as const, since: START }];
    const state = { takenAt: null, exchanges: [] };
    await sourcesStore(BUCKET).putMap({ coins: new Map([['a', markets]]), state, at: now }, undefined);
    const objects = new Map(history.s3.objects);
    history.s3.requests.length = 0;
    const run = async () => {
      const { handler } = await import('../../functions/marketdata/jobs/past/handler.ts');
      return handler();
    };
    await run();
    const expected = new Map([...history.s3.objects].sort());
    const puts = history.s3.requests.filter((one) => one.startsWith('PUT')).length;
    expect(puts).toBe(2); // the days and hours of the coin, the note
    const askedOnce = exchange.asked.length;

    const given = { job: 'past', objects, env: names, execArgv: clock.execArgv };
    const ends = await Promise.all(deathsOf(puts).map((death) => runUntilKilled(death, given)));

    for (const [index, end] of ends.entries()) {
      history.s3.objects.clear();
      for (const [path, bytes] of end) history.s3.objects.set(path, bytes);
      exchange.asked.length = 0;
      await run();
      expect(new Map([...history.s3.objects].sort())).toEqual(expected);
      // Nothing is asked for again, once it is stored.
      expect(exchange.asked.length).toBe(index === 1 ? askedOnce : 0);
    }
  });

  it('leaves a snapshot that is the one before or the whole new one, and samples that count', {
    timeout: PROCESSES_MS,
  }, async () => {
    const now = START + 5 * HOUR_MS + 20 * MINUTE_MS;
    clock = clockAt(now);
    const provider = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify([tickerOf('a', 2, Date.now() - MINUTE_MS)]));
    });
    provider.listen(0, '127.0.0.1');
    await once(provider, 'listening');
    onTestFinished(() => void provider.close());
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`; // it listens on TCP
    const env = { COINPAPRIKA_BASE_URL: url, SNAPSHOT_MINUTES: '10' };
    const before = Buffer.from(snapshotOf(['a'], { takenAt: now - 10 * MINUTE_MS }));
    const objects = new Map([[SNAPSHOT, before]]);
    const given = { job: 'snapshot', objects, env, execArgv: clock.execArgv };

    const ends = await Promise.all(deathsOf(2).map((death) => runUntilKilled(death, given)));

    const names = ends.map((end) => [...end.keys()].filter((path) => path !== SNAPSHOT));
    const sampled = [pathOf('samples.v3/2026-10-30/0520')];
    expect(names).toEqual([sampled, [], sampled, sampled]);
    for (const [index, end] of ends.entries()) {
      const snapshot = openSnapshot(end.get(SNAPSHOT) ?? Buffer.of());
      expect(snapshot.takenAt).toBe(index === 2 ? now : now - 10 * MINUTE_MS);
      expect(hoursIn(snapshot, 'a').map(({ samples }) => samples)).toEqual(index === 2 ? [1] : []);
    }
  });
});
