import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSamples } from '../../shared/marketdata/store/samples.ts';
import { openSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import { hoursIn } from '../../shared/marketdata/store/snapshot-hours.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { counted } from '../counted.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { BUCKET, pathOf, type Run } from './market.ts';
import { plainCandles } from './plain.ts';
import { type HistoryBench, startHistory } from './store.ts';

const START = Date.UTC(2026, 9, 31, 21); // a day and a month end on the way
const SNAPSHOT = `/${BUCKET}/snapshot/tickers.v4`;
const ids = ['a', '战旗-战旗', 'toto-totoro-inu-?', ...Array.from({ length: 9 }, (_, n) => `coin-${n}`)];

describe('the snapshot’s job, with a history', () => {
  let history: HistoryBench;
  let provider: Server;
  let list: unknown[];

  beforeEach(async () => {
    provider = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(list));
    });
    provider.listen(0, '127.0.0.1');
    await once(provider, 'listening');
    history = await startHistory();
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    vi.stubEnv('COINPAPRIKA_BASE_URL', `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`); // TCP
  });
  afterEach(async () => {
    await history.close();
    provider.close();
  });

  async function runAt(now: number) {
    vi.setSystemTime(now);
    const { handler } = await import('../../functions/marketdata/jobs/snapshot/handler.ts');
    return handler();
  }
  const published = () => openSnapshot(history.s3.objects.get(SNAPSHOT) ?? Buffer.of());
  const storedRuns = (): Run[] =>
    [...history.s3.objects]
      .filter(([path]) => path.startsWith(pathOf('samples.v4/')))
      .map(([, bytes]) => openSamples(bytes))
      .map((one) => ({
        takenAt: one.takenAt,
        coins: [...one.all()],
      }));

  interface ClosedHour {
    readonly id: string;
    readonly hour: StoredCandle;
  }

  /** A slot in which nothing runs, or a run, which may be repeated, or be killed before it publishes. */
  const slot = fc.record({
    secondsLate: fc.integer({ min: 0, max: 500 }),
    ends: fc.constantFrom('well', 'well', 'well', 'unpublished', 'unsampled', 'not at all', 'well, twice'),
    prices: fc.array(fc.double({ min: 90, max: 110, noNaN: true }), {
      minLength: ids.length,
      maxLength: ids.length,
    }),
    old: fc.constantFrom(undefined, ...ids),
  });

  it('publishes the same hours as the roll-up makes of the samples, however its runs end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(slot, { minLength: 14, maxLength: 20 }), async (slots) => {
        history.s3.objects.clear();
        const closed: ClosedHour[] = [];
        const runs = [...slots.entries()].filter(([, { ends }]) => ends !== 'not at all');
        for (const [index, { secondsLate, ends, prices, old }] of runs) {
          const time = START + index * 10 * MINUTE_MS + secondsLate * 1000;
          const madeAt = (id: string) => (id === old ? time - HOUR_MS - 1 : time);
          list = ids.map((id, coin) => tickerOf(id, prices[coin] ?? 0, madeAt(id)));
          const before = history.s3.objects.get(SNAPSHOT);
          if (ends === 'unsampled') history.s3.failing = pathOf(nameAt(time));
          await runAt(time).catch(() => undefined);
          history.s3.failing = '';
          if (ends === 'well, twice') await runAt(time + 1000);
          if (ends === 'unpublished' && before) history.s3.objects.set(SNAPSHOT, before);
          if (ends === 'unpublished' && !before) history.s3.objects.delete(SNAPSHOT);
          if (ends !== 'unpublished') closed.push(...expectHoursOfSamples());
        }
        await history.rollUpAt(START + 8 * HOUR_MS);
        const rolledUp = await Promise.all(
          ids.map(async (id) => {
            const days = [START, START + DAY_MS].map((day) => history.hoursOfDay(id, day));
            return [id, (await Promise.all(days)).flat()] as const;
          }),
        );
        for (const { id, hour } of closed) expect(new Map(rolledUp).get(id)).toContainEqual(hour);
      }),
      { numRuns: 3 },
    );
  });

  /** Returns the hours in the published snapshot to which nothing is added any more. */
  function expectHoursOfSamples(): ClosedHour[] {
    const snapshot = published();
    const { takenAt } = snapshot;
    const running = takenAt - (takenAt % HOUR_MS);
    const stored = storedRuns();
    return ids
      .filter((id) => snapshot.ticker(id))
      .flatMap((id) => {
        const plain = plainCandles(stored, id, {
          stepMs: HOUR_MS,
          until: Number.POSITIVE_INFINITY,
          minutes: 10,
        });
        const expected = plain.filter(({ opensAt }) => opensAt >= running - HOUR_MS);
        const known = expected.map((hour) => ({ ...hour, isSettled: hour.opensAt < running }));
        expect(hoursIn(snapshot, id).map(unjudged)).toEqual(known.map(unjudged));
        return hoursIn(snapshot, id).flatMap((hour) => (hour.opensAt < running ? [{ id, hour }] : []));
      });
  }

  it('keeps the hours of a carried row, and samples only the rows of this list', async () => {
    const listAt = (time: number, a: number, b: number) => [
      ...ids.slice(1).map((id) => tickerOf(id, 7, time)),
      tickerOf('a', a, time),
      tickerOf('b', b, time),
      tickerOf('c', 3, START - HOUR_MS), // an hour old, then older
    ];
    list = listAt(START, 1, 2);
    await runAt(START);
    const later = START + 20 * MINUTE_MS;
    list = listAt(later, 1.5, -2);
    expect(await runAt(later)).toMatchObject({ rows: ids.length + 2, carried: 1 });

    const samplesOf = (id: string) => hoursIn(published(), id).map(({ samples, close }) => [samples, close]);
    expect([samplesOf('a'), samplesOf('b'), samplesOf('c')]).toEqual([[[2, 1.5]], [[1, 2]], [[1, 3]]]);
    const [, second] = storedRuns();
    expect(second?.coins.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  it('publishes if the samples cannot be stored, and then fails', async () => {
    list = [tickerOf('a', 1, START)];
    history.s3.failing = pathOf(nameAt(START));

    await expect(runAt(START)).rejects.toThrow('S3 answered 500: InternalError');
    expect(published().ticker('a')).toBeDefined();
    expect(hoursIn(published(), 'a')).toEqual([]);
    expect(await counted()).toMatchObject({ SnapshotPublished: 1 });

    history.s3.failing = '';
    await runAt(START + MINUTE_MS);
    expect(hoursIn(published(), 'a')).toHaveLength(1);
  });

  it('restores the hours from samples if the last snapshot is damaged', async () => {
    for (const minutes of [0, 10, 20]) {
      list = [tickerOf('a', 1 + minutes / 100, START + minutes * MINUTE_MS)];
      await runAt(START + minutes * MINUTE_MS);
    }
    const [before] = hoursIn(published(), 'a');
    history.s3.objects.set(SNAPSHOT, Buffer.from('damaged'));
    list = [tickerOf('a', 1.2, START + 30 * MINUTE_MS)];
    await runAt(START + 30 * MINUTE_MS);

    const lastAt = START + 30 * MINUTE_MS;
    expect(hoursIn(published(), 'a')).toEqual([{ ...before, samples: 4, lastAt }]);
  });
});

/** The quality of an hour that runs is that of its part so far, which a fold of the whole does not know. */
function unjudged({ quality: _, source: __, ...candle }: StoredCandle) {
  return candle;
}

function nameAt(time: number): string {
  const [day, minutes] = new Date(time - (time % (10 * MINUTE_MS))).toISOString().slice(0, 16).split('T');
  return `samples.v4/${day}/${minutes?.replace(':', '')}`;
}
