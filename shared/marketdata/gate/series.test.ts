import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, isoSeconds } from '../../platform/time.ts';
import type { Candle, PricePoint } from '../candles.ts';
import { Implausible } from './implausible.ts';
import { plausibleCandles, plausiblePrices } from './series.ts';

const MIDNIGHT = Date.UTC(2026, 8, 18);
const NOW = MIDNIGHT + 4 * 3_600_000;
const DAYS = 20;
/** The last 20 days, the running one included. */
const span = { from: MIDNIGHT - (DAYS - 1) * DAY_MS, to: MIDNIGHT + DAY_MS, stepMs: DAY_MS };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The candle of a day of the window; day 19 is the running one. */
function day(index: number, changes: Partial<Candle> = {}): Candle {
  const opened = span.from + index * DAY_MS;
  const closed = Math.min(opened + DAY_MS - 1000, NOW);
  const [time_open, time_close] = [isoSeconds(opened), isoSeconds(closed)];
  const prices = { open: 10, high: 12, low: 9, close: 11 };
  return { time_open, time_close, ...prices, volume: 5, market_cap: 100, ...changes };
}

const days = (from = 0, to = DAYS) => Array.from({ length: to - from }, (_, index) => day(from + index));
const withDay = (index: number, ...rows: Candle[]) => days().toSpliced(index, 1, ...rows);
const pass = (rows: readonly Candle[], held?: readonly Candle[]) => plausibleCandles(rows, span, { held });

describe('candles', () => {
  it('pass as they are, in the order of time whatever theirs was', () => {
    expect(pass(days().reverse(), days())).toEqual(days());
    expect(pass([])).toEqual([]);
  });

  it('outside of the window are left out, and refused if all of them are', () => {
    expect(pass([day(-1), ...days(), day(DAYS)])).toEqual(days());
    const refusal = new Implausible('Time', '2026-08-29T00:00:00Z, outside of the window');
    expect(() => pass([day(-1), day(-2)])).toThrow(refusal);
  });

  it.each<[string, Partial<Candle>]>([
    ['a price that is none', { open: 0 }],
    ['a price that is none', { high: 1e15 }],
    ['a price outside of low and high', { high: 10.9 }],
    ['a price outside of low and high', { low: 10.1 }],
    ['a negative amount', { market_cap: -1 }],
    ['a close outside of its interval', { time_close: isoSeconds(span.from + 8 * DAY_MS + 1000) }],
    ['a close outside of its interval', { time_close: isoSeconds(span.from + 6 * DAY_MS) }],
    ["a time off the interval's grid", { time_open: isoSeconds(span.from + 7 * DAY_MS + 1_800_000) }],
  ])('with %s are replaced by known ones, or left out: %j', (what, changes) => {
    const bad = day(7, changes);
    const known = day(7, { close: 10.5 });

    expect(pass(withDay(7, bad))).toEqual(days().toSpliced(7, 1));
    expect(pass(withDay(7, bad), withDay(7, known))).toEqual(withDay(7, known));
    expect(() => pass([bad])).toThrow(new Implausible('Candle', `${what} (${bad.time_open})`));
  });

  it.each<[string, Partial<Candle>]>([
    ['prices at the lower edge', { open: 4e-18, high: 4e-18, low: 4e-18, close: 4e-18 }],
    ['one price all day', { open: 11, high: 11, low: 11, close: 11 }],
    ['no amounts', { volume: null, market_cap: null }],
    ['amounts of 0', { volume: 0, market_cap: 0 }],
    ['a close at the next opening', { time_close: isoSeconds(span.from + 8 * DAY_MS) }],
  ])('may have %s', (_what, changes) => {
    const candle = { ...day(7), ...changes };
    const moved = { ...candle, time_open: isoSeconds(span.from + 7 * DAY_MS) };
    expect(pass(withDay(7, moved))).toEqual(withDay(7, moved));
  });

  it('are refused if a tenth of them are impossible, and not if there are fewer', () => {
    const bad = (index: number) => day(index, { open: -1 });
    expect(pass(withDay(7, bad(7)))).toHaveLength(DAYS - 1);
    expect(() => pass(withDay(7, bad(7)).toSpliced(8, 1, bad(8)))).toThrow('a price that is none');
    expect(() => pass([...days(0, 9), bad(9)])).toThrow('a price that is none');
  });

  it('for one interval count once if they are equal, and are left out otherwise', () => {
    const other = day(7, { close: 10.5 });
    expect(pass(withDay(7, day(7), day(7)))).toEqual(days());
    expect(pass(withDay(7, day(7), other))).toEqual(days().toSpliced(7, 1));
    expect(pass(withDay(7, other, day(7)), days())).toEqual(days());
    expect(pass(withDay(7, day(7), other, day(7)))).toEqual(days().toSpliced(7, 1));
  });

  it('may be stamped ahead of the clock by a minute and no more', () => {
    const hours = { from: NOW - 20 * 3_600_000, to: NOW + 2 * 3_600_000, stepMs: 3_600_000 };
    const hour = { ...day(0), time_open: isoSeconds(NOW), time_close: isoSeconds(NOW) };
    vi.setSystemTime(NOW - 60_000);
    expect(plausibleCandles([hour], hours)).toHaveLength(1);
    vi.setSystemTime(NOW - 61_000);
    expect(() => plausibleCandles([hour], hours)).toThrow(
      new Implausible('Candle', 'a time in the future (2026-09-18T04:00:00Z)'),
    );
  });
});

describe('candles, beside those that are known,', () => {
  it('may come first, and may be fewer by a fifth and not by more', () => {
    expect(pass(days(4), days())).toEqual(days(4));
    expect(() => pass(days(5), days())).toThrow(new Implausible('Drop', '15 of 20 known rows'));
  });

  it('cannot be none', () => {
    expect(() => pass([], days())).toThrow(new Implausible('Empty', 'nothing where 20 rows are known'));
    expect(pass([], [day(-1)])).toEqual([]); // which this window does not ask for
  });

  it('cannot end before them', () => {
    expect(() => pass(days(0, 19), days())).toThrow(
      new Implausible('Older', 'nothing after 2026-09-17T00:00:00Z, where 2026-09-18T00:00:00Z is known'),
    );
    expect(pass(days(), days(0, 19))).toEqual(days());
  });

  it('cannot all cost a hundred times as much', () => {
    const scaled = days().map((candle) => ({ ...candle, high: 1200, close: 1100 }));
    expect(() => pass(scaled, days())).toThrow(
      new Implausible('Jump', 'prices far from those that are known'),
    );
  });

  it('may change in one place, or in the last one known, which may still have been open', () => {
    const jumped = (index: number) => day(index, { high: 1200, close: 1100 });
    expect(pass(withDay(7, jumped(7)), days())).toEqual(withDay(7, jumped(7)));
    const two = withDay(7, jumped(7)).toSpliced(19, 1, jumped(19));
    expect(pass(two, days())).toEqual(two);
    expect(() => pass(two.toSpliced(8, 1, jumped(8)), days())).toThrow('prices far');
  });
});

describe('prices', () => {
  const points = days().map(
    ({ time_open, close, volume, market_cap }): PricePoint => ({
      timestamp: time_open,
      price: close,
      volume_24h: volume,
      market_cap,
    }),
  );
  const withPoint = (index: number, changes: Partial<PricePoint>) =>
    points.map((point, at) => (at === index ? { ...point, ...changes } : point));

  it.each<Partial<PricePoint>>([{ price: 0 }, { volume_24h: -1 }])(
    'are checked like candles: %j',
    (changes) => {
      const all = points.map((point) => ({ ...point, ...changes }));
      expect(plausiblePrices(withPoint(7, changes), span)).toEqual(points.toSpliced(7, 1));
      expect(plausiblePrices(withPoint(7, changes), span, { held: points })).toEqual(points);
      expect(() => plausiblePrices(all, span)).toThrow(Implausible);
    },
  );

  it('of now that are far from the current price are refused', () => {
    const last = points.at(-1)?.price ?? 0;
    for (const price of [last * 2.9, last / 2.9]) {
      expect(plausiblePrices(points, span, { price })).toEqual(points);
    }
    for (const price of [last * 3, last / 3]) {
      expect(() => plausiblePrices(points, span, { price })).toThrow(`where it is ${price} now`);
    }
  });

  it('that end long ago are not compared with the current price', () => {
    const past = points.slice(0, -3);
    expect(plausiblePrices(past, span, { price: 1e9 })).toEqual(past);
  });
});
