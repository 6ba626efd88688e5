import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { encodeSamples } from '../../shared/marketdata/store/samples.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { openWeek } from '../../shared/marketdata/store/week.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { counted } from '../counted.ts';
import { isLong } from '../setup/long.ts';
import { anyRuns, BUCKET, odd, pathOf, type Run, runsBetween, sample } from './market.ts';
import { plainCandles } from './plain.ts';
import { storedIn } from './read.ts';
import { type HistoryBench, startHistory } from './store.ts';
import { exactCandle, putCoin, putExact } from './stored.ts';

/** Two days of one month and one of the next. */
const START = Date.UTC(2026, 9, 30);
const END = START + 3 * DAY_MS;
const ROLLED_UP = 20 * MINUTE_MS;
const NOTE = pathOf('rolled-up.v3');
const HOURS = pathOf('day-hours.v2/2026-10-30');
const DAILY = pathOf(objectNames.series('24h', 'a', START));
const HOURLY = pathOf(objectNames.series('1h', 'a', START));

/** A run after the samples of a test: the snapshot's job goes on. */
const laterRun = (time: number): Run => ({ takenAt: time + MINUTE_MS, coins: [sample('another', 1)] });

function expectSound(candles: readonly StoredCandle[]) {
  for (const [index, { opensAt, open, high, low, close }] of candles.entries()) {
    if (index > 0) expect(opensAt).toBeGreaterThan(candles[index - 1]?.opensAt ?? 0);
    expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
    expect(low).toBeLessThanOrEqual(Math.min(open, close));
  }
}

/** The last byte of its last row is another one. */
function withDamagedRow(file: Buffer): Buffer {
  file[file.length - 1] = 255 - (file.at(-1) ?? 0);
  return file;
}

describe('the roll-up, against a real server in place of S3', () => {
  let history: HistoryBench;
  beforeEach(async () => {
    history = await startHistory();
  });
  afterEach(() => history.close());

  function through(): string | undefined {
    const note = history.s3.objects.get(NOTE);
    return note && JSON.parse(String(note)).through;
  }

  async function monthsOf(id: string) {
    return [...(await history.hours(id, START)), ...(await history.hours(id, END - 1))];
  }

  it.each([10, 60, 7])(
    'makes the candles of a plain fold, from samples of every %i minutes',
    async (minutes) => {
      const anyTimes = fc.array(fc.integer({ min: START, max: END }), { maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(anyRuns(START, END, minutes), anyTimes, async (runs, times) => {
          history.s3.objects.clear();
          for (const now of [...times.sort((a, b) => a - b), END + ROLLED_UP]) {
            history.put(
              [...runs, laterRun(END)].filter(({ takenAt }) => takenAt < now),
              minutes,
            );
            await history.rollUpAt(now);
          }
          for (const id of odd.filter((one) => one.isWellFormed())) {
            const [days, hours] = [await history.days(id), await monthsOf(id)];
            const { length } = hours;
            const all = { until: END, minutes };
            expect(days).toEqual(plainCandles(runs, id, { ...all, stepMs: DAY_MS }));
            expect(hours).toEqual(plainCandles(runs, id, { ...all, stepMs: HOUR_MS }));
            expect(length).toBe(new Set(hours.map(({ opensAt }) => opensAt)).size);
            expectSound(days);
            expectSound(hours);
          }
          expect(through()).toBe(runs.length > 0 ? '2026-11-01' : undefined);
        }),
        { numRuns: isLong ? 10 : 1 },
      );
    },
  );

  it.each([
    ['80 %', 116, 'sampled'],
    ['79 %', 115, 'derived'],
  ])('decides the quality of a day with %s of its samples', async (_what, count, quality) => {
    const isIn = (index: number) =>
      Math.floor(((index + 1) * count) / 144) > Math.floor((index * count) / 144);
    history.put(runsBetween(START, START + DAY_MS, 10, ['a']).filter((_run, index) => isIn(index)));
    await history.rollUpAt(START + DAY_MS + ROLLED_UP);

    expect(await history.days('a')).toEqual([expect.objectContaining({ quality, samples: count })]);
  });

  it('publishes an hour once, two minutes after its end, and records its age', async () => {
    history.put(runsBetween(START, START + 2 * HOUR_MS, 10, ['a']));
    expect(await history.rollUpAt(START + HOUR_MS + 2 * MINUTE_MS - 1)).toEqual({ days: [] });
    expect(history.made().size).toBe(0);

    const { hoursUntil } = await history.rollUpAt(START + HOUR_MS + 2 * MINUTE_MS);
    expect(hoursUntil).toBe('2026-10-30T01:00:00.000Z');
    expect(await counted()).toMatchObject({ HistoryAge: [120], HoursPublished: 1 });
    expect(await history.hoursOfDay('a', START)).toHaveLength(1);

    const before = history.made();
    history.put(runsBetween(START, START + 2 * HOUR_MS, 10, ['b'])); // no sample changes an hour that is there
    await history.rollUpAt(START + HOUR_MS + 12 * MINUTE_MS);
    expect(history.made()).toEqual(before);
  });

  it('records the age of the last hours after days without samples', async () => {
    history.put(runsBetween(START, START + HOUR_MS, 10, ['a']));
    const later = START + 4 * DAY_MS + HOUR_MS;
    history.put([laterRun(later - 2 * MINUTE_MS)]);
    const first = await history.rollUpAt(later);
    expect(await counted()).toMatchObject({ HoursPublished: 0 });

    expect(first.days).toEqual(['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02']);
    const again = await history.rollUpAt(later);
    expect(again).toEqual({ hoursUntil: '2026-10-30T01:00:00.000Z', days: [] });
  });

  it('begins with the first day of the last 35 that has samples', async () => {
    const samplesOn = (day: number) =>
      runsBetween(START + day * DAY_MS, START + day * DAY_MS + HOUR_MS, 10, ['a']);
    history.put([...samplesOn(0), ...samplesOn(34), laterRun(START + 36 * DAY_MS)]);
    const { days } = await history.rollUpAt(START + 36 * DAY_MS + HOUR_MS);
    expect(days).toEqual(['2026-12-03', '2026-12-04']);
  });

  it('merges the exchanges’ hours of a day before all samples: the service began just after midnight', async () => {
    const day = Array.from({ length: 24 }, (_, hour) => exactCandle(START + hour * HOUR_MS, HOUR_MS, 1));
    putExact(history.s3, START, { a: day });
    history.put([laterRun(START + DAY_MS)]);
    const { days } = await history.rollUpAt(START + DAY_MS + ROLLED_UP);
    expect(days).toEqual(['2026-10-30']);
    expect(await history.days('a')).toMatchObject([{ opensAt: START, quality: 'exact' }]);
  });

  it('takes no day as over that has samples still to come, and makes all of it once the clock is right', async () => {
    const morning = runsBetween(START, START + 10.5 * HOUR_MS, 10, ['a']);
    history.put(morning);
    for (const ahead of [8, 15, 48]) {
      expect(await history.rollUpAt(START + 10.5 * HOUR_MS + ahead * HOUR_MS)).toMatchObject({ days: [] });
    }
    expect(through()).toBeUndefined();
    history.put(runsBetween(START, START + DAY_MS + HOUR_MS, 10, ['a']));
    await history.rollUpAt(START + 11 * HOUR_MS + 5 * MINUTE_MS);
    const { days } = await history.rollUpAt(START + DAY_MS + ROLLED_UP);

    expect(days).toEqual(['2026-10-30']);
    expect(await history.days('a')).toMatchObject([{ samples: 144, quality: 'sampled' }]);
    const hours = (await monthsOf('a')).filter(({ opensAt }) => opensAt < START + DAY_MS);
    expect(hours.map(({ samples }) => samples)).toEqual(Array(24).fill(6));
  });

  it('goes on at the newest samples after a note from the future', async () => {
    history.put(runsBetween(START, START + DAY_MS + HOUR_MS, 10, ['a']));
    history.s3.objects.set(NOTE, Buffer.from(JSON.stringify({ through: '2026-11-03' })));
    const first = await history.rollUpAt(START + DAY_MS + 2 * HOUR_MS);
    expect(first.days).toEqual(['2026-10-30']);
    expect(await history.hoursOfDay('a', START + DAY_MS)).toHaveLength(1);
    history.put(runsBetween(START, START + 2 * DAY_MS + HOUR_MS, 10, ['a']));
    const { days } = await history.rollUpAt(START + 2 * DAY_MS + ROLLED_UP);
    expect(days).toEqual(['2026-10-31']);
    expect(through()).toBe('2026-10-31');
  });

  it('takes back from hours and merged days what later samples found to be false', async () => {
    const runs = runsBetween(START, START + DAY_MS + 3 * HOUR_MS, 10, ['a', 'b']);
    const spike = START + 22 * HOUR_MS;
    const found = START + DAY_MS + 2 * HOUR_MS + 7_000;
    const spiked = runs.map((run): Run => {
      const isFalse = run.takenAt >= spike && run.takenAt < spike + HOUR_MS;
      const coins = run.coins.map((one) => (one.id === 'a' && isFalse ? { ...one, price: 9e6 } : one));
      const revisions = run.takenAt === found ? [{ id: 'a', from: spike, isBelieved: false }] : [];
      return { ...run, coins, revisions };
    });
    const put = (until: number) => history.put(spiked.filter(({ takenAt }) => takenAt < until));
    const highOf = async () => {
      const [day] = await history.days('a');
      const hours = await monthsOf('a');
      return [day?.high, Math.max(...hours.map(({ high }) => high))].map((high) => (high ?? 0) > 1e6);
    };
    put(START + DAY_MS + HOUR_MS);
    await history.rollUpAt(START + DAY_MS + HOUR_MS);
    expect(await highOf()).toEqual([true, true]);
    const others = JSON.stringify(await history.days('b'));

    put(START + DAY_MS + 3 * HOUR_MS);
    await history.rollUpAt(START + DAY_MS + 3 * HOUR_MS + 5 * MINUTE_MS);
    expect(await highOf()).toEqual([false, false]);
    expect(JSON.stringify((await history.days('b')).slice(0, 1))).toBe(others);
  });

  it('changes nothing if it runs again, or with a clock that was set back', async () => {
    history.put(runsBetween(START, START + 2 * DAY_MS, 60, ['a', 'b']));
    await history.rollUpAt(START + 2 * DAY_MS + ROLLED_UP);
    const before = history.made();

    for (const now of [START + 2 * DAY_MS + ROLLED_UP, START + DAY_MS + HOUR_MS, START - DAY_MS]) {
      expect((await history.rollUpAt(now)).days).toEqual([]);
      expect(history.made()).toEqual(before);
    }
  });

  it('merges all other shards, and publishes hours, while one shard’s object fails', async () => {
    history.put(runsBetween(START, START + DAY_MS + HOUR_MS, 60, ['a', 'b', 'c']));
    history.s3.failing = pathOf(objectNames.series('24h', 'b', START));
    const now = START + DAY_MS + HOUR_MS + ROLLED_UP;

    await expect(history.rollUpAt(now)).rejects.toThrow('S3 answered 500');
    expect(await history.days('c')).toHaveLength(1);
    expect(await history.hoursOfDay('b', START + DAY_MS)).toHaveLength(1);
    expect(through()).toBeUndefined();

    history.s3.failing = '';
    expect((await history.rollUpAt(now)).days).toEqual(['2026-10-30']);
    expect(await history.days('b')).toHaveLength(1);
  });

  describe('with a second object in each slot, of a source of token prices', () => {
    function putTail(runs: readonly Run[]) {
      for (const { takenAt, coins } of runs) {
        const path = pathOf(objectNames.samples(takenAt, 10 * MINUTE_MS, 'tokens'));
        const bytes = encodeSamples(coins, { takenAt, intervalSeconds: 600, source: 'tokens' });
        history.s3.objects.set(path, Buffer.from(bytes));
      }
    }

    it('makes hours and days of both, each coin with its own source', async () => {
      const tail = runsBetween(START + 60_000, START + DAY_MS, 10, ['b']);
      history.put(runsBetween(START, START + DAY_MS, 10, ['a']));
      putTail(tail);
      await history.rollUpAt(START + DAY_MS + ROLLED_UP);

      const all = { until: END, minutes: 10 };
      const own = (candles: readonly StoredCandle[]) => candles.map((one) => ({ ...one, source: 'tokens' }));
      expect(await history.days('b')).toEqual(own(plainCandles(tail, 'b', { ...all, stepMs: DAY_MS })));
      expect(await history.hours('b', START)).toEqual(
        own(plainCandles(tail, 'b', { ...all, stepMs: HOUR_MS })),
      );
      expect(new Set((await history.hours('a', START)).map(({ source }) => source))).toEqual(
        new Set(['simulated']),
      );
      expect(new Set((await history.hoursOfDay('b', START)).map(({ source }) => source))).toEqual(
        new Set(['tokens']),
      );
    });
  });

  describe('if an object cannot be used', () => {
    const evenings = [0, 1, 2].map((day) => START + day * DAY_MS + 21 * HOUR_MS);
    const runs = evenings.flatMap((from) => runsBetween(from, from + 3 * HOUR_MS, 60, ['a', 'b']));
    const newer = (bytes: Buffer) => {
      bytes.writeUInt32LE(99, 8); // the format version
      return bytes;
    };
    /** The objects after three days without damage, and those after the first day. */
    let expected: Map<string, Buffer> | undefined;
    let first: Map<string, Buffer> | undefined;
    beforeEach(async () => {
      history.put(runs);
      if (!expected || !first) {
        await history.rollUpAt(START + 2 * DAY_MS - HOUR_MS / 2);
        first = history.made();
        await history.rollUpAt(END + ROLLED_UP);
        expected = history.made();
      }
      for (const path of history.made().keys()) history.s3.objects.delete(path);
      for (const [path, bytes] of first) history.s3.objects.set(path, Buffer.from(bytes));
    });

    it.each([
      ['damaged hours', pathOf('day-hours.v2/2026-10-31'), () => Buffer.from('damaged')],
      ['a damaged note', NOTE, () => Buffer.from('{"thr')],
    ])('makes %s anew from stored data, and sets the object aside', async (_what, path, damage) => {
      const damaged = damage();
      history.s3.objects.set(path, damaged);
      await history.rollUpAt(END + ROLLED_UP);

      const made = [...history.made()];
      const [aside, ...others] = made.filter(([one]) => one.includes('/set-aside/'));
      expect([aside?.[1], others]).toEqual([damaged, []]);
      expect(made.filter(([one]) => one !== aside?.[0])).toEqual([...(expected ?? [])]);
    });

    it.each([
      ['days of a newer version', DAILY, newer],
      ['empty hours of a month', HOURLY, () => Buffer.of()],
      ['days with one damaged row', DAILY, withDamagedRow],
    ])(
      'never replaces %s by less, and merges all days that it lacks once it is restored',
      async (...given) => {
        const [, path, damage] = given;
        const before = Buffer.from(history.s3.objects.get(path) ?? '');
        const damaged = damage(Buffer.from(before));
        history.s3.objects.set(path, damaged);

        await expect(history.rollUpAt(END + ROLLED_UP)).rejects.toThrow(
          /^(days|hours)\.v2\/2026(-10)?\/\d\d: Candles: /,
        );
        await expect(history.rollUpAt(END + ROLLED_UP + HOUR_MS)).rejects.toThrow(
          /^(days|hours)\.v2\/2026(-10)?\/\d\d: Candles: /,
        );

        expect(history.s3.objects.get(path)).toEqual(damaged);
        expect(through()).toBe('2026-10-30');
        const days = { stepMs: DAY_MS, until: END, minutes: 60 };
        expect(await history.days('b')).toEqual(plainCandles(runs, 'b', days));
        // As an operator restores its version, or a backup.
        history.s3.objects.set(path, before);
        expect((await history.rollUpAt(END + ROLLED_UP + 2 * HOUR_MS)).days).toEqual([
          '2026-10-31',
          '2026-11-01',
        ]);
        expect([...history.made()]).toEqual([...(expected ?? [])]);
      },
    );

    it('continues without unusable samples and hours of earlier days', async () => {
      const [, second = ''] = [...history.s3.objects.keys()].filter((path) => path.includes('2026-11-01/'));
      for (const path of [HOURS, second]) history.s3.objects.set(path, Buffer.from('damaged'));
      await history.rollUpAt(END + ROLLED_UP);

      expect((await history.days('a')).map(({ samples }) => samples)).toEqual([3, 3, 2]);
    });
  });

  describe('of candles that were fetched for single coins', () => {
    const COIN = pathOf(objectNames.coin('a'));

    it('changes nothing and reads none: whoever reads them takes the better candle', async () => {
      const exact = exactCandle(START + DAY_MS, DAY_MS, 5);
      const coverage = { from: START - DAY_MS, to: START + 2 * DAY_MS };
      putCoin(history.s3, 'a', { '24h': { candles: [exact], coverage } });
      const before = history.s3.objects.get(COIN);
      history.put(runsBetween(START, END, 60, ['a']), 60);
      history.s3.requests.length = 0;
      await history.rollUpAt(END + ROLLED_UP);

      expect(history.s3.requests.filter((line) => line.includes('coins'))).toEqual([]);
      expect(history.s3.objects.get(COIN)).toEqual(before);
      const { candles, coverage: fetched } = await storedIn(BUCKET).daily('a');
      expect(candles.map(({ quality }) => quality)).toEqual(['sampled', 'exact', 'sampled']);
      expect(candles[1]?.volume_24h).not.toBeNull();
      expect(fetched).toEqual(coverage);
    });

    it('puts each shard once a day for days, and once for hours', async () => {
      const ids = Array.from({ length: 500 }, (_, index) => `coin-${index}`);
      history.put(runsBetween(START, START + DAY_MS, 60, ids));
      await history.rollUpAt(START + DAY_MS - MINUTE_MS);
      history.s3.requests.length = 0;
      await history.rollUpAt(START + DAY_MS + ROLLED_UP);

      const puts = history.s3.requests.filter((line) => line.startsWith('PUT'));
      expect(puts.filter((line) => line.includes('/days.v2/2026/'))).toHaveLength(64);
      expect(puts.filter((line) => line.includes('/hours.v2/2026-10/'))).toHaveLength(64);
      // And the last hour of the day, the week, and the note.
      expect(puts).toHaveLength(64 + 64 + 3);
    });
  });

  describe('for the week of the listed coins', () => {
    const WEEK = pathOf(objectNames.week);
    const samples = () => history.put(runsBetween(START, END, 60, ['a', 'b']));
    const closesOf = (id: string) => [...openWeek(history.s3.objects.get(WEEK) ?? Buffer.of()).closesOf(id)];

    it('publishes the close of each hour', async () => {
      samples();
      for (const now of [START + DAY_MS + ROLLED_UP, END - 5 * HOUR_MS, END + ROLLED_UP])
        await history.rollUpAt(now);

      const expected = (await monthsOf('a')).map(({ opensAt, close }) => [opensAt + HOUR_MS, close]);
      expect(expected).toHaveLength(72);
      expect(closesOf('a').map(([over, { price }]) => [over, price])).toEqual(expected);
      expect(new Set(closesOf('a').map(([, { quality }]) => quality))).toEqual(new Set(['sampled']));
      expect(closesOf('b')).toHaveLength(72);
    });

    it.each([
      ['has a damaged row', (week: Buffer) => week.fill(7, week.length - 1)],
      ['cannot be opened', () => Buffer.from('damaged')],
    ])('makes the object anew if it %s, so that no coin loses a close', async (_what, damage) => {
      samples();
      for (const now of [START + DAY_MS + ROLLED_UP, END + ROLLED_UP]) await history.rollUpAt(now);
      const whole = history.s3.objects.get(WEEK) ?? Buffer.of();
      history.s3.objects.set(WEEK, damage(Buffer.from(whole)));
      await history.rollUpAt(END + ROLLED_UP + MINUTE_MS);

      expect(history.s3.objects.get(WEEK)).toEqual(whole);
    });

    it('fails the run if it cannot be stored, but rolls up the days', async () => {
      samples();
      history.s3.failing = WEEK;
      await expect(history.rollUpAt(END + ROLLED_UP)).rejects.toThrow();
      expect(through()).toBe('2026-11-01');
    });
  });
});
