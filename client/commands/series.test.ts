import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Candle, toSeries } from './series.ts';

function candle(time_open: string, changes: Partial<Candle> = {}): Candle {
  return {
    time_open,
    time_close: time_open,
    open: 10,
    high: 12,
    low: 9,
    close: 11,
    volume: 5,
    market_cap: null,
    ...changes,
  };
}

describe('toSeries', () => {
  test('begins with the last unit of a coin that was redenominated', () => {
    const old = candle('2026-01-01T00:00:00Z');
    const first = { ...candle('2026-01-02T00:00:00Z'), new_unit: true } as const;
    const series = toSeries([old, first, candle('2026-01-03T00:00:00Z')]);
    expect(series.map(({ time }) => time)).toEqual([1767312000, 1767398400]);
  });

  test('times are whole seconds in UTC, whatever offset the candle is written with', () => {
    const series = toSeries([candle('2026-01-01T00:00:00Z'), candle('2026-01-02T02:00:00.900+02:00')]);
    expect(series.map(({ time }) => time)).toEqual([1_767_225_600, 1_767_312_000]);
  });

  test('a candle with a time or price that is no number is left out, one without a volume is kept', () => {
    const series = toSeries([
      candle('yesterday'),
      candle('2026-01-01T00:00:00Z', { open: Number.NaN }),
      candle('2026-01-02T00:00:00Z', { high: Number.POSITIVE_INFINITY }),
      candle('2026-01-03T00:00:00Z', { volume: Number.NaN }),
      candle('2026-01-04T00:00:00Z', { volume: null }),
    ]);
    expect(series.map(({ volume }) => volume)).toEqual([null, null]);
  });

  test('whatever comes in, times ascend strictly and every number is finite', () => {
    const anyNumber = fc.double();
    const anyCandle = fc.record({
      time_open: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      time_close: fc.constant(''),
      open: anyNumber,
      high: anyNumber,
      low: anyNumber,
      close: anyNumber,
      volume: fc.option(anyNumber),
      market_cap: fc.constant(null),
    });
    fc.assert(
      fc.property(fc.array(anyCandle), (candles) => {
        const series = toSeries(candles);
        for (const [index, { time, open, high, low, close }] of series.entries()) {
          expect([time, open, high, low, close].every(Number.isFinite)).toBe(true);
          expect(Number.isInteger(time)).toBe(true);
          expect(time).toBeGreaterThan(series[index - 1]?.time ?? Number.NEGATIVE_INFINITY);
          expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
          expect(low).toBeLessThanOrEqual(Math.min(open, close));
        }
      }),
    );
  });
});
