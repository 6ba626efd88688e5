import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectNames } from '../shared/marketdata/store/names.ts';
import { encodeSeries, openSeries } from '../shared/marketdata/store/series-file.ts';
import { DAY_MS } from '../shared/platform/time.ts';
import { compare } from './history/compare.ts';
import { fileBucket } from './history/file-bucket.ts';
import { coinId } from './history/market.ts';
import { replay } from './history/replay.ts';

/** Over the end of a month; on the second day six hours have no runs. */
const simulation = { coins: 20, listed: 12, days: 3, from: Date.UTC(2026, 4, 30) };

describe('a replay of three days', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'replay-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('ends with the candles of a plain fold, in one run a day and by half hours', async () => {
    const days: number[] = [];
    const onDay = (day: number) => days.push(day);
    const { rolledUp, refused } = await replay(simulation, { folder, bundle: undefined, onDay });

    expect(rolledUp.map(({ way }) => way)).toEqual(['at once', 'by half hours', 'at once']);
    expect(days).toEqual([1, 2, 3]);
    expect(refused).toBeGreaterThan(0);
    expect(compare(simulation, folder, () => {})).toMatchObject({ days: 60, differences: 0 });
  });

  it('has no more coins than it is told, however many are listed', async () => {
    const few = { ...simulation, coins: 2, listed: 12, days: 1 };
    const { runs, samples } = await replay(few, { folder, bundle: undefined, onDay() {} });
    expect(samples).toBeGreaterThan(0);
    expect(samples).toBeLessThanOrEqual(runs * few.coins);
  });

  it('tells a candle that is not the same, one too many, and one that is missing', async () => {
    await replay(simulation, { folder, bundle: undefined, onDay() {} });
    const change = (coin: number, to: (series: ReturnType<typeof openSeries>) => typeof series.candles) => {
      const bucket = fileBucket(folder);
      const [id, stepMs] = [coinId(coin), DAY_MS];
      const series = openSeries(bucket.read(objectNames.daily(id)) ?? Buffer.alloc(0), { id, stepMs });
      bucket.write(objectNames.daily(id), encodeSeries({ ...series, candles: to(series) }));
    };
    change(0, ({ candles }) => candles.slice(1));
    change(1, ({ candles }) => candles.map((candle) => ({ ...candle, samples: candle.samples - 1 })));
    change(2, ({ candles }) => [
      ...candles,
      ...candles.slice(-1).map((last) => ({ ...last, opensAt: last.opensAt + DAY_MS })),
    ]);

    const { differences, first } = compare(simulation, folder, () => {});
    expect(differences).toBe(1 + 3 + 1);
    expect(first).toContain(coinId(0));
  });
});
