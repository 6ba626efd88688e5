import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHours, openHours, openHoursRow, openHoursTable } from './candle-files.ts';
import { objectNames } from './names.ts';
import { encodeSamples, openSamples } from './samples.ts';
import { encodeSeries, openSeries } from './series-file.ts';
import type { StoredCandle } from './stored-candle.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY = Date.UTC(2026, 10, 20);

const price = fc.double({ min: 1e-18, max: 1e15, noNaN: true });
const amount = fc.option(fc.double({ min: 0, max: 1e18, noNaN: true }));
const id = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc.constantFrom('xch-chia-', '-doggotothemoon', '战旗-战旗', 'toto-totoro-inu-?', '..', '.', 'a/b', ''),
);

function candleAt(opensAt: number, stepMs: number): fc.Arbitrary<StoredCandle> {
  const fields = { open: price, high: price, low: price, close: price, volume: amount, market_cap: amount };
  return fc
    .record({
      ...fields,
      quality: fc.constantFrom('exact' as const, 'sampled' as const, 'derived' as const),
      samples: fc.integer({ min: 0, max: 255 }),
      part: fc.integer({ min: 0, max: 36_000 }),
      source: fc.constantFrom('coinpaprika', 'simulated', 'coinbase,kraken'),
    })
    .map(({ part, ...candle }) => ({ ...candle, opensAt, lastAt: opensAt + (part * stepMs) / 36_000 }));
}

function candlesFrom(start: number, stepMs: number, count: number): fc.Arbitrary<StoredCandle[]> {
  return fc
    .subarray(Array.from({ length: count }, (_, index) => index))
    .chain((places) => fc.tuple(...places.map((place) => candleAt(start + place * stepMs, stepMs))));
}

describe('a series', () => {
  it('reads as it was written, with its gaps', () => {
    fc.assert(
      fc.property(id, candlesFrom(DAY, DAY_MS, 40), (own, candles) => {
        const series = { id: own, stepMs: DAY_MS, candles, asked: { from: DAY, to: DAY + 7 * DAY_MS } };
        expect(openSeries(encodeSeries(series), series)).toEqual(series);
      }),
    );
  });

  it('of a year is 20 KB at most', () => {
    const [candle] = fc.sample(candleAt(DAY, DAY_MS), { numRuns: 1, seed: 1 });
    const candles = Array.from({ length: 366 }, (_, day) => ({
      ...candle,
      source: 'coinpaprika',
      opensAt: DAY + day * DAY_MS,
      lastAt: DAY + day * DAY_MS,
    })) as StoredCandle[];
    const bytes = encodeSeries({ id: 'btc-bitcoin', stepMs: DAY_MS, candles, asked: { from: 0, to: DAY } });
    expect(bytes.length).toBeLessThanOrEqual(20_000);
  });

  it.each([
    ['another coin', { id: 'eth-ethereum', stepMs: DAY_MS }],
    ['another length', { id: 'btc-bitcoin', stepMs: HOUR_MS }],
  ])('of %s is refused', (_name, expected) => {
    const bytes = encodeSeries({ id: 'btc-bitcoin', stepMs: DAY_MS, candles: [], asked: undefined });
    expect(() => openSeries(bytes, expected)).toThrow('Candles: those of btc-bitcoin by 86400 s in place of');
  });

  it('with any byte changed is refused', () => {
    const [candles = []] = fc.sample(candlesFrom(DAY, DAY_MS, 3), { numRuns: 1, seed: 2 });
    const series = { id: 'a', stepMs: DAY_MS, candles, asked: undefined };
    const bytes = encodeSeries(series);
    for (let at = 0; at < bytes.length; at += 1) {
      const copy = Uint8Array.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      expect(() => openSeries(copy, series)).toThrow(/^Candles: /);
    }
  });
});

describe('samples', () => {
  it('read as they were written, in the order of their ids', () => {
    const figures = { id, price, volume: amount, market_cap: amount };
    const source = fc.constantFrom('kraken', 'coinbase,kraken,binance and many more');
    const sample = fc.record(
      { ...figures, source },
      { requiredKeys: ['id', 'price', 'volume', 'market_cap'] },
    );
    fc.assert(
      fc.property(fc.uniqueArray(sample, { selector: (one) => one.id, maxLength: 20 }), (all) => {
        const taken = { takenAt: DAY, intervalSeconds: 600, source: 'coinpaprika' };
        const { ids, sample: at, ...opened } = openSamples(encodeSamples(all, taken));
        expect(opened).toEqual(taken);
        expect(ids.count).toBe(all.length);
        for (const one of all) expect(at(ids.find(one.id) ?? -1)).toEqual({ source: 'coinpaprika', ...one });
        expect(ids.find('not there at all')).toBeUndefined();
      }),
    );
  });
});

describe('the hours of a day', () => {
  const anyDay = fc
    .uniqueArray(id, { minLength: 1, maxLength: 12 })
    .chain((ids) => fc.tuple(...ids.map((own) => fc.tuple(fc.constant(own), candlesFrom(DAY, HOUR_MS, 24)))))
    .map((coins) => ({
      day: DAY,
      intervalSeconds: 600,
      source: 'coinpaprika',
      coins: new Map(coins),
    }));

  it('read as they were written, whole or each coin by its range', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        const bytes = Buffer.from(encodeHours(day));
        expect(openHours(bytes)).toEqual(day);
        const needed = openHoursTable(bytes.subarray(0, 64), 64);
        const start = openHoursTable(bytes.subarray(0, needed as number), needed as number);
        const table = openHoursTable(bytes.subarray(0, start as number), start as number);
        if (typeof table === 'number') throw new Error('still too few bytes');
        for (const [own, hours] of day.coins) {
          const [first, last] = table.rangeOf(own) ?? [0, 0];
          expect(openHoursRow(bytes.subarray(first, last + 1), own, table)).toEqual(hours);
          expect(() => openHoursRow(bytes.subarray(first, last + 1), `${own}x`, table)).toThrow(
            'another coin',
          );
        }
        expect(table.rangeOf('not there at all')).toBeUndefined();
      }),
    );
  });
});

describe('a row of the hours of a day', () => {
  it('is not read with the sources of another table', () => {
    const [candle] = fc.sample(candleAt(DAY, HOUR_MS), { numRuns: 1, seed: 1 });
    const fileBy = (source: string) => {
      const coins = new Map([['a', [{ ...candle, source } as StoredCandle]]]);
      return Buffer.from(encodeHours({ day: DAY, intervalSeconds: 600, source: '', coins }));
    };
    const [before, after] = [fileBy('coinbase'), fileBy('exchange')];
    const table = openHoursTable(before, before.length);
    if (typeof table === 'number') throw new Error('too few bytes');
    const [first, last] = table.rangeOf('a') ?? [0, 0];
    const row = after.subarray(first, last + 1);
    expect(() => openHoursRow(row, 'a', table)).toThrow('another coin');
  });
});

describe('the name of an object', () => {
  it('is another one for each coin, and no path that leads elsewhere', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(objectNames.daily(a) === objectNames.daily(b)).toBe(a === b);
        expect(objectNames.daily(a)).toMatch(/^daily\.v1\/~[^/]*$/);
        expect(objectNames.daily(a).length).toBeLessThan(900);
      }),
    );
  });

  it('stays short for the longest ids', () => {
    const [one, other] = ['战'.repeat(200), `${'战'.repeat(199)}旗`];
    expect(objectNames.daily(one).length).toBeLessThan(900);
    expect(objectNames.daily(one)).not.toBe(objectNames.daily(other));
  });

  it('of samples tells their slot', () => {
    expect(objectNames.samples(Date.UTC(2026, 10, 20, 7, 19, 59), 600_000)).toBe(
      'samples.v3/2026-11-20/0710',
    );
  });
});
