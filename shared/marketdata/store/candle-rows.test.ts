import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { openingsIn, readSeries } from './candle-rows.ts';
import { objectNames } from './names.ts';
import { joinSeries } from './series-writer.ts';
import { SourceList } from './source-list.ts';
import { joined, type StoredCandle } from './stored-candle.ts';

const DAY = Date.UTC(2026, 10, 20);

const price = fc.double({ min: 1e-18, max: 1e15, noNaN: true });
const amount = fc.option(fc.double({ min: 0, max: 1e18, noNaN: true }));
const id = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc.constantFrom('xch-chia-', '-doggotothemoon', '战旗-战旗', 'toto-totoro-inu-?', '..', '.', 'a/b', ''),
);

function candleAt(opensAt: number, stepMs: number): fc.Arbitrary<StoredCandle> {
  const fields = {
    open: price,
    high: price,
    low: price,
    close: price,
    volume: amount,
    market_cap: amount,
    volume_24h: amount,
  };
  return fc
    .record({
      ...fields,
      quality: fc.constantFrom('exact' as const, 'sampled' as const, 'derived' as const),
      samples: fc.integer({ min: 0, max: 255 }),
      isSettled: fc.boolean(),
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

describe('a series in bytes', () => {
  it.each([HOUR_MS, DAY_MS])('of %i ms is the same joined in bytes as joined in memory', (stepMs) => {
    const anyParts = fc.array(candlesFrom(DAY, stepMs, 20), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyParts, (parts) => {
        const sources = new SourceList();
        const format = { stepMs, sources };
        let series: Buffer | undefined;
        for (const candles of parts) series = joinSeries(series, { candles, coverage: undefined }, format);
        const all = parts.reduce<readonly StoredCandle[]>((one, other) => joined(one, other), []);

        expect(readSeries(series ?? Buffer.of(), stepMs, sources.names)).toEqual({
          candles: all,
          coverage: undefined,
        });
        expect([...openingsIn(series ?? Buffer.of(), stepMs)]).toEqual(
          all.map(({ opensAt, samples }) => [opensAt, samples]),
        );
        for (const candles of parts)
          expect(joinSeries(series, { candles, coverage: undefined }, format)).toEqual(series);
      }),
    );
  });

  it('is refused with another candle length', () => {
    const [candle] = fc.sample(candleAt(DAY + HOUR_MS, HOUR_MS), { numRuns: 1, seed: 1 });
    const candles = candle ? [candle] : [];
    const sources = new SourceList();
    const series = joinSeries(undefined, { candles, coverage: undefined }, { stepMs: HOUR_MS, sources });
    expect(() => readSeries(series, DAY_MS, sources.names)).toThrow('Candles of another length');
    expect(() => readSeries(series.subarray(1), HOUR_MS, sources.names)).toThrow('Candles in');
  });
});

describe('the names of objects', () => {
  it('differ for all coins, and stay in their folder', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(objectNames.coin(a) === objectNames.coin(b)).toBe(a === b);
        expect(objectNames.coin(a)).toMatch(/^coins\.v2\/~[^/]*$/);
        expect(objectNames.coin(a).length).toBeLessThan(900);
        expect(objectNames.series('24h', a, DAY)).toMatch(/^days\.v2\/2026\/\d\d$/);
        expect(objectNames.series('1h', a, DAY)).toMatch(/^hours\.v2\/2026-11\/\d\d$/);
      }),
    );
    const [one, other] = ['a', 'b'].map((end) => '战'.repeat(500) + end);
    expect(objectNames.coin(one ?? '')).not.toBe(objectNames.coin(other ?? ''));
    expect(objectNames.coin(one ?? '').length).toBeLessThan(900);
  });
});
