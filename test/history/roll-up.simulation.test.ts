import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { encodeSamples } from '../../shared/marketdata/store/samples.ts';
import { encodeSeries, openSeries } from '../../shared/marketdata/store/series-file.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { anyRuns, DAY_MS, HOUR_MS, MINUTE_MS, odd, pathOf, type Run, runsBetween } from './market.ts';
import { plainCandles } from './plain.ts';
import { type HistoryBench, startHistory } from './store.ts';

/** Two days of one month and one of the next. */
const START = Date.UTC(2026, 9, 30);
const END = START + 3 * DAY_MS;
const ROLLED_UP = 10 * MINUTE_MS;
const NOTE = pathOf('rolled-up.v2');
const HOURS = pathOf('day-hours.v1/2026-10-30');
const DAILY = pathOf('daily.v1/~a');
const HOURLY = pathOf('hourly.v1/~a/2026-10');

function expectSound(candles: readonly StoredCandle[]) {
  for (const [index, { opensAt, open, high, low, close }] of candles.entries()) {
    if (index > 0) expect(opensAt).toBeGreaterThan(candles[index - 1]?.opensAt ?? 0);
    expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
    expect(low).toBeLessThanOrEqual(Math.min(open, close));
  }
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
    'makes of any samples, one in %i minutes, what a plain fold makes',
    async (minutes) => {
      const anyTimes = fc.array(fc.integer({ min: START, max: END }), { maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(anyRuns(START, END, minutes), anyTimes, async (runs, times) => {
          history.s3.objects.clear();
          for (const now of [...times.sort((a, b) => a - b), END + ROLLED_UP]) {
            history.put(
              runs.filter(({ takenAt }) => takenAt < now),
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
        { numRuns: 5 },
      );
    },
  );

  it.each([
    ['all', 144, 'sampled'],
    ['80 %', 116, 'sampled'],
    ['79 %', 115, 'derived'],
    ['20 %', 29, 'derived'],
  ])('tells of a day with %s of its samples how good it is', async (_what, count, quality) => {
    const isIn = (index: number) =>
      Math.floor(((index + 1) * count) / 144) > Math.floor((index * count) / 144);
    history.put(runsBetween(START, START + DAY_MS, 10, ['a']).filter((_run, index) => isIn(index)));
    await history.rollUpAt(START + DAY_MS + ROLLED_UP);

    expect(await history.days('a')).toEqual([expect.objectContaining({ quality, samples: count })]);
  });

  it('knows no volume of a day whose last hour has no sample', async () => {
    history.put(runsBetween(START, START + 23 * HOUR_MS, 10, ['a']));
    await history.rollUpAt(START + DAY_MS + ROLLED_UP);

    expect(await history.days('a')).toEqual([expect.objectContaining({ volume: null, quality: 'sampled' })]);
    expect((await history.hours('a', START)).at(-1)?.volume).toBeGreaterThan(0);
  });

  it('publishes an hour two minutes after its end, once, and tells its age', async () => {
    history.put(runsBetween(START, START + 2 * HOUR_MS, 10, ['a']));
    expect(await history.rollUpAt(START + HOUR_MS + 2 * MINUTE_MS - 1)).toEqual({ days: [] });
    expect(history.made().size).toBe(0);

    const { hoursUntil } = await history.rollUpAt(START + HOUR_MS + 2 * MINUTE_MS);
    expect(hoursUntil).toBe('2026-10-30T01:00:00.000Z');
    const { takeMetrics } = await import('../../shared/platform/metrics.ts');
    expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ HistoryAge: [120] });
    expect(await history.hoursOfDay('a', START)).toHaveLength(1);

    const before = history.made();
    history.put(runsBetween(START, START + 2 * HOUR_MS, 10, ['b'])); // no sample changes an hour that is there
    await history.rollUpAt(START + HOUR_MS + 12 * MINUTE_MS);
    expect(history.made()).toEqual(before);
  });

  it('tells the age of the last hours also if days have passed without samples', async () => {
    history.put(runsBetween(START, START + HOUR_MS, 10, ['a']));
    const later = START + 4 * DAY_MS + HOUR_MS;
    const first = await history.rollUpAt(later);

    expect(first.days).toEqual(['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02']);
    const again = await history.rollUpAt(later);
    expect(again).toEqual({ hoursUntil: '2026-10-30T01:00:00.000Z', days: [] });
  });

  it('begins with the first day of the last 35 that has samples', async () => {
    const runs = runsBetween(START, START + HOUR_MS, 10, ['a']);
    history.put(runs);
    expect((await history.rollUpAt(START + 36 * DAY_MS)).days).toEqual([]);
    expect((await history.rollUpAt(START + 35 * DAY_MS + HOUR_MS)).days).toHaveLength(35);
    expect(await history.days('a')).toEqual(
      plainCandles(runs, 'a', { stepMs: DAY_MS, until: END, minutes: 10 }),
    );
  });

  it('does not roll a day up before ten minutes after its end', async () => {
    history.put(runsBetween(START, START + DAY_MS, 60, ['a']));
    expect((await history.rollUpAt(START + DAY_MS + ROLLED_UP - 1)).days).toEqual([]);
    expect((await history.rollUpAt(START + DAY_MS + ROLLED_UP)).days).toEqual(['2026-10-30']);
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

  it('ends with the same objects if it runs twice at once', async () => {
    history.put(runsBetween(START, END, 60, ['a', 'b', 'c']));
    await history.rollUpAt(END + ROLLED_UP);
    const expected = history.made();
    for (const path of expected.keys()) history.s3.objects.delete(path);

    const both = await Promise.all([history.rollUpAt(END + ROLLED_UP), history.rollUpAt(END + ROLLED_UP)]);

    expect(history.made()).toEqual(expected);
    const days = both.flatMap((one) => one.days);
    expect(new Set(days).size).toBe(3);
  });

  it('adds the day of all other coins, and publishes hours, while one coin’s object fails', async () => {
    history.put(runsBetween(START, START + DAY_MS + HOUR_MS, 60, ['a', 'b', 'c']));
    history.s3.failing = pathOf('daily.v1/~b');
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

    it('makes hours and days of both, each coin with the source that it has', async () => {
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

    it('rolls up all other coins while one has more sources than its hours can name, and logs that one', async () => {
      const now = START + 6 * DAY_MS + ROLLED_UP;
      const hourly = runsBetween(START, START + 6 * DAY_MS, 60, ['b']);
      history.put(runsBetween(START, START + 6 * DAY_MS, 60, ['a']));
      for (const [index, { takenAt, coins }] of hourly.entries()) {
        const path = pathOf(objectNames.samples(takenAt, 10 * MINUTE_MS, 'tokens'));
        const bytes = encodeSamples(coins, { takenAt, intervalSeconds: 600, source: `source${index}` });
        history.s3.objects.set(path, Buffer.from(bytes));
      }
      const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

      const { days } = await history.rollUpAt(now);

      expect(days).toHaveLength(6);
      expect(await history.days('a')).toHaveLength(6);
      expect(await history.days('b')).toHaveLength(6);
      expect(logged).toHaveBeenCalledWith(expect.stringContaining('Candles of b: more than 64 sources'));
      const { takeMetrics } = await import('../../shared/platform/metrics.ts');
      expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ CoinsNotStored: expect.any(Number) });
      history.s3.requests.length = 0;
      await history.rollUpAt(now + HOUR_MS / 2);
      expect(history.s3.requests.filter((line) => line.includes('samples.'))).toEqual([]);
    });

    it('makes one hour of both of a coin that came to the list within it', async () => {
      putTail(runsBetween(START, START + HOUR_MS / 2, 10, ['a']));
      history.put(runsBetween(START + HOUR_MS / 2, START + HOUR_MS, 10, ['a']));
      await history.rollUpAt(START + HOUR_MS + ROLLED_UP);

      expect(await history.hoursOfDay('a', START)).toMatchObject([
        { samples: 6, quality: 'sampled', source: 'tokens,simulated' },
      ]);
    });
  });

  describe('where an object cannot be used', () => {
    const evenings = [0, 1, 2].map((day) => START + day * DAY_MS + 21 * HOUR_MS);
    const runs = evenings.flatMap((from) => runsBetween(from, from + 3 * HOUR_MS, 60, ['a', 'b']));
    const newer = (bytes: Buffer) => {
      bytes.writeUInt32LE(99, 8); // the format version
      return bytes;
    };
    let expected: Map<string, Buffer>;
    beforeEach(async () => {
      history.put(runs);
      await history.rollUpAt(END + ROLLED_UP);
      expected = history.made();
      for (const path of expected.keys()) history.s3.objects.delete(path);
      await history.rollUpAt(START + 2 * DAY_MS - HOUR_MS / 2); // the first of three days is rolled up
    });

    it.each([
      ['damaged hours', pathOf('day-hours.v1/2026-10-31'), () => Buffer.from('damaged')],
      ['hours of a newer version', pathOf('day-hours.v1/2026-10-31'), newer],
      ['damaged days', DAILY, (bytes: Buffer) => bytes.subarray(1)],
      ['days of a newer version', DAILY, newer],
      ['damaged hours of a month', HOURLY, () => Buffer.of()],
      ['hours of a month of a newer version', HOURLY, newer],
      ['a damaged note', NOTE, () => Buffer.from('{"thr')],
      ['a note of something else', NOTE, () => Buffer.from('[{"through":7}]')],
    ])('makes %s anew, of what is there, and sets aside what was', async (_what, path, damage) => {
      const damaged = damage(Buffer.from(history.s3.objects.get(path) ?? ''));
      history.s3.objects.set(path, damaged);
      await history.rollUpAt(END + ROLLED_UP);

      const made = [...history.made()];
      const [aside, ...others] = made.filter(([one]) => one.includes('/set-aside/'));
      expect([aside?.[1], others]).toEqual([damaged, []]);
      // A series says for as long as it is so that something of it is set aside.
      const isMarked = path === DAILY || path === HOURLY;
      const usual = made.filter(([one]) => one !== aside?.[0] && !(isMarked && one === path));
      expect(usual).toEqual([...expected].filter(([one]) => !(isMarked && one === path)));
      const candles = path === DAILY ? await history.days('a') : await history.hours('a', START);
      const of = { id: 'a', stepMs: path === DAILY ? DAY_MS : HOUR_MS };
      if (isMarked) expect(candles).toEqual(openSeries(expected.get(path) ?? Buffer.of(), of).candles);
    });

    it('makes do without samples, and without hours of earlier days, that cannot be used', async () => {
      history.s3.objects.set(DAILY, Buffer.from('damaged'));
      history.s3.objects.set(HOURS, Buffer.from('damaged'));
      const [, second] = [...history.s3.objects.keys()].filter((path) => path.includes('2026-11-01/'));
      history.s3.objects.set(second ?? '', Buffer.from('damaged'));
      await history.rollUpAt(END + ROLLED_UP);

      const days = await history.days('a');
      expect(days.map(({ samples }) => samples)).toEqual([3, 2]);
      const { takeMetrics } = await import('../../shared/platform/metrics.ts');
      expect(JSON.parse(takeMetrics('n') ?? '').ObjectsSetAside).toBeGreaterThan(0);
    });

    it('keeps the better candle that a provider gave', async () => {
      const of = { id: 'a', stepMs: DAY_MS };
      const exact = {
        ...plainCandles(runs, 'a', { stepMs: DAY_MS, until: END, minutes: 60 })[1],
        quality: 'exact',
        samples: 0,
      };
      const asked = { from: START - DAY_MS, to: START + 2 * DAY_MS };
      const { candles } = openSeries(history.s3.objects.get(DAILY) ?? Buffer.of(), of);
      const filled = encodeSeries({ ...of, candles: [...candles, exact as StoredCandle], asked });
      history.s3.objects.set(DAILY, Buffer.from(filled));
      await history.rollUpAt(END + ROLLED_UP);

      expect((await history.days('a')).map(({ quality }) => quality)).toEqual([
        'derived',
        'exact',
        'derived',
      ]);
      expect(openSeries(history.s3.objects.get(DAILY) ?? Buffer.of(), of).asked).toEqual(asked);
    });
  });
});
