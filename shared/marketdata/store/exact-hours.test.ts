import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time.ts';
import { dayOf, dayWithAmounts, withExact } from './exact-hours.ts';
import type { StoredCandle } from './stored-candle.ts';

const DAY = Date.UTC(2026, 10, 20);
const EVER = Number.POSITIVE_INFINITY;

const hourAt = (hour: number, given: Partial<StoredCandle> = {}): StoredCandle => ({
  opensAt: DAY + hour * HOUR_MS,
  open: 10,
  high: 12,
  low: 9,
  close: 11,
  volume: null,
  market_cap: null,
  volume_24h: null,
  quality: 'exact',
  samples: 0,
  isSettled: true,
  lastAt: DAY + (hour + 1) * HOUR_MS,
  source: 'coinbase',
  ...given,
});
const sampledAt = (hour: number, given: Partial<StoredCandle> = {}) =>
  hourAt(hour, {
    quality: 'sampled',
    samples: 6,
    volume_24h: 500,
    market_cap: 900,
    source: 'coinpaprika',
    ...given,
  });
const hours = (count: number, of = hourAt) => Array.from({ length: count }, (_, hour) => of(hour));

describe('a day of hours', () => {
  const quality = (given: readonly StoredCandle[], until = EVER) =>
    dayOf(given, { intervalMs: 10 * MINUTE_MS, until })?.quality;

  it('is exact if all hours are, and none is missing', () => {
    expect(quality(hours(24))).toBe('exact');
    expect(quality(hours(23))).toBe('sampled');
    expect(quality(hours(7), DAY + 7 * HOUR_MS)).toBe('exact');
    expect(quality(hours(7).toSpliced(3, 1), DAY + 7 * HOUR_MS)).toBe('sampled');
  });

  it('stays exact while the running hour is too new to be fetched from exchanges', () => {
    const running = (minutes: number) => {
      const until = DAY + 7 * HOUR_MS + minutes * MINUTE_MS;
      return quality([...hours(7), sampledAt(7, { samples: 1, lastAt: until })], until);
    };
    expect(running(5)).toBe('exact');
    expect(running(30)).toBe('exact');
    expect(running(31)).toBe('sampled');
    const first = DAY + 5 * MINUTE_MS;
    expect(quality([sampledAt(0, { samples: 1, lastAt: first })], first)).toBe('sampled');
    const gap = [...hours(6), sampledAt(6), sampledAt(7, { samples: 1 })];
    expect(quality(gap, DAY + 7 * HOUR_MS + 5 * MINUTE_MS)).toBe('sampled');
  });

  it('takes its volume from samples, which hold that of 24 hours', () => {
    const candle = dayOf(hours(24), { intervalMs: 10 * MINUTE_MS, until: EVER });
    if (!candle) throw new Error('no day');
    expect(dayWithAmounts(candle, [sampledAt(23)], EVER)).toEqual({
      ...candle,
      volume: 500,
      market_cap: 900,
      volume_24h: 500,
    });
    expect(dayWithAmounts(candle, [sampledAt(22)], EVER)).toMatchObject({
      volume: null,
      volume_24h: 500,
      market_cap: 900,
    });
    expect(dayWithAmounts(candle, [], EVER)).toEqual(candle);
  });
});

describe('an exchange’s hour that was fetched before its end', () => {
  const now = DAY + 50 * MINUTE_MS;
  const begun = hourAt(0, { lastAt: DAY + 35 * MINUTE_MS, isSettled: false });
  const later = sampledAt(0, {
    high: 20,
    low: 10,
    close: 15,
    lastAt: DAY + 45 * MINUTE_MS,
    isSettled: false,
  });

  it('is extended by later samples, and stays exact', () => {
    expect(withExact([begun], [later], now)).toEqual([
      {
        ...begun,
        high: 20,
        low: 9,
        close: 15,
        market_cap: 900,
        volume_24h: 500,
        lastAt: later.lastAt,
        source: 'coinbase,coinpaprika',
      },
    ]);
  });

  it('has the quality of its samples if it was not fetched again for half an hour', () => {
    const left = { ...begun, lastAt: DAY + 15 * MINUTE_MS };
    expect(withExact([left], [later], now)).toMatchObject([
      { open: 10, high: 20, close: 15, quality: 'sampled', samples: 6 },
    ]);
    expect(withExact([left], [], now)).toMatchObject([{ close: 11, quality: 'derived' }]);
    expect(withExact([left], [], DAY + 20 * MINUTE_MS)).toEqual([left]);
    expect(withExact([begun], [], DAY + DAY_MS)).toMatchObject([{ quality: 'derived' }]);
  });
});
