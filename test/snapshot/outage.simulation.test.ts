import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { call } from '../pipeline/event.ts';
import { quotesOf, startTwoSides, type TwoSides, tickerAt } from './two-sides.ts';

const START = Date.UTC(2026, 10, 1, 12);
const ids = Array.from({ length: 30 }, (_, n) => `coin-${n}`);
/** Two of three coins, with one to three markets each. */
const mapped = ids.slice(0, 20);

/** It goes up by a tenth in a day. */
const priceAt = (id: string, time: number) => (1 + ids.indexOf(id)) * (1 + (time - START) / (240 * HOUR_MS));
const listAt = (time: number) => ids.map((id) => tickerAt(id, priceAt(id, time), time - 5 * MINUTE_MS));
const quotesAt = (time: number) =>
  Object.fromEntries(
    mapped.map((id, index) => [
      id,
      quotesOf(...[1, 1.001, 0.999].slice(0, 1 + (index % 3)).map((off) => off * priceAt(id, time))),
    ]),
  );

describe('an outage of the provider', () => {
  let sides: TwoSides;
  let handler: LambdaHandler;
  beforeEach(async () => {
    sides = await startTwoSides(START);
    sides.provide(listAt(START));
    await sides.quote(START - MINUTE_MS, quotesAt(START));
    await sides.runAt(START);
    vi.resetModules();
    ({ handler } = await import('../../functions/marketdata/ticker/handler.ts'));
  });
  afterEach(() => sides.close());

  const ask = (id: string) => call(handler, { path: `/api/marketdata/ticker/${id}`, pathParameters: { id } });
  async function chart(id: string, query = 'interval=1h&limit=1') {
    const ohlcv = await import('../../functions/marketdata/ohlcv/handler.ts');
    const path = `/api/marketdata/ohlcv/${id}`;
    return call(ohlcv.handler, { path, pathParameters: { id }, query });
  }
  /** Markets are read two minutes before; a failed run is repeated a minute later. */
  async function runAt(time: number) {
    await sides.quote(time - 2 * MINUTE_MS, quotesAt(time - 2 * MINUTE_MS));
    return sides.runAt(time).catch(() => sides.runAt(time + MINUTE_MS));
  }
  const failed = (run: Promise<unknown>) => run.then(() => undefined, String);

  it('of a day leaves every response for mapped coins fresh, and no traces when it is over', async () => {
    sides.provide(undefined);
    const counts = new Map<string, number>();
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      const time = START + minute * MINUTE_MS;
      vi.setSystemTime(time + 1_000);
      await sides.quote(time + 1_000, quotesAt(time), true);
      if (minute > 0 && minute % 10 === 0) await failed(sides.runAt(time + 2_000));
      for (const second of [10, 40]) {
        vi.setSystemTime(time + second * 1000);
        const id = mapped[(minute * 7 + second) % mapped.length] ?? '';
        const { status, headers } = await ask(id);
        const key = `${status} ${headers['x-data-quality']}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (minute > 0) {
          const age = time + second * 1000 - Date.parse(String(headers['x-data-time']));
          expect(age).toBeLessThan(2.5 * MINUTE_MS);
          expect(headers['x-data-source']).toMatch(/^coinbase(,kraken(,binance)?)?$/);
        }
      }
    }
    expect([...counts]).toEqual([['200 exact', 24 * 60 * 2]]);
    expect(await chart('coin-2')).toMatchObject({
      status: 200,
      headers: { 'x-data-source': 'coinbase,kraken,binance', 'x-data-quality': 'sampled' },
    });
    expect((await chart('coin-1')).headers).toMatchObject({ 'x-data-source': 'coinbase,kraken' });
    expect((await chart('coin-0')).headers).toMatchObject({ 'x-data-source': 'coinbase' });

    const end = START + 24 * HOUR_MS;
    sides.provide(listAt(end));
    expect(await runAt(end)).toMatchObject({ rows: 30, carried: 0, disputed: 0 });
    for (const id of ids) {
      expect(sides.published().ticker(id)).toMatchObject({
        source: 'coinpaprika',
        storedAt: end,
        data: { quotes: { USD: { price: priceAt(id, end) } } },
      });
    }
    vi.setSystemTime(end + 30_000);
    for (const [id, source] of [
      ['coin-1', 'coinbase,kraken'],
      ['coin-20', 'coinpaprika'],
    ] as const)
      expect((await ask(id)).headers).toMatchObject({ 'x-data-source': source, 'x-data-quality': 'exact' });

    const rollUp = await import('../../functions/marketdata/jobs/roll-up/handler.ts');
    await rollUp.handler();
    for (const [id, source] of [
      ['coin-0', 'coinbase'],
      ['coin-1', 'coinbase,kraken'],
    ] as const) {
      const night = await chart(id, 'interval=1h&start=2026-11-01T14:00:00Z&end=2026-11-01T20:00:00Z');
      expect(night.headers).toMatchObject({ 'x-data-source': source, 'x-data-quality': 'sampled' });
    }
  }, 60_000);

  it('is bridged for mapped coins from the second missing list on; other rows keep their time', async () => {
    sides.provide(undefined);
    await expect(sides.runAt(START + 10 * MINUTE_MS)).rejects.toThrow('CoinPaprika answered 403');
    await sides.metrics();
    const time = START + 20 * MINUTE_MS - 3_000; // runs are never quite one interval apart
    const run = await runAt(time);

    expect(run).toMatchObject({ rows: 30, carried: 10, failover: expect.stringMatching(/^CoinPaprika/) });
    expect(await sides.metrics()).toMatchObject({ SnapshotFailover: 1, SnapshotPublished: 1 });
    expect(sides.published().ticker('coin-1')).toMatchObject({
      source: 'coinbase,kraken',
      storedAt: time,
      madeAt: time - 2 * MINUTE_MS,
      data: {
        name: 'coin-1',
        rank: 700,
        quotes: { USD: { percent_change_24h: 0.5, percent_change_1h: null, volume_24h: null } },
        sources: { agreeing: 2, of: 2 },
      },
    });
    expect(sides.published().ticker('coin-20')).toMatchObject({ source: 'coinpaprika', storedAt: START });
    vi.setSystemTime(time + 1000);
    expect((await ask('coin-20')).headers).toMatchObject({ 'x-data-quality': 'stale' });
  });

  it('ends with lists that are compared with the last one, not with prices of markets', async () => {
    sides.provide(undefined);
    for (const minutes of [20, 30]) {
      const time = START + minutes * MINUTE_MS;
      const tripled = Object.entries(quotesAt(time)).map(([id, quotes]) => [
        id,
        quotes.map((quote) => ({ ...quote, price: quote.price * (minutes === 20 ? 2 : 4) })),
      ]);
      await sides.quote(time, Object.fromEntries(tripled));
      await sides.runAt(time);
    }
    const end = START + 40 * MINUTE_MS;
    sides.provide(listAt(end).slice(0, 20));
    expect(await runAt(end)).toMatchObject({
      failover: 'Not published: 20 tickers, where the published list has 30',
    });
    sides.provide(listAt(end + MINUTE_MS).map((one) => ({ ...one, name: 'x' })));
    expect(await sides.runAt(end + MINUTE_MS)).toMatchObject({
      failover: expect.stringContaining('have another name'),
    });
    sides.provide(listAt(end + 2 * MINUTE_MS));
    expect(await sides.runAt(end + 2 * MINUTE_MS)).toMatchObject({ rows: 30, carried: 0 });
    expect(sides.published()).toMatchObject({ source: 'coinpaprika', rows: 30 });
  });

  it.each([
    ['missing as well', async (time: number) => void vi.setSystemTime(time)],
    ['outdated', (time: number) => sides.quote(time - 16 * MINUTE_MS, quotesAt(time))],
    ['of no coin in the list', (time: number) => sides.quote(time, { other: quotesOf(1, 1) })],
  ])('is not bridged if quotes are %s', async (_what, prepare) => {
    sides.provide(undefined);
    const before = sides.published().takenAt;
    const time = START + 20 * MINUTE_MS;
    await prepare(time);

    await expect(sides.runAt(time)).rejects.toThrow('CoinPaprika answered 403');
    expect(sides.published().takenAt).toBe(before);
    expect(await sides.metrics()).toMatchObject({ SnapshotNotPublished: 1 });
  });
});
