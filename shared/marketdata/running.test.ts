import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/snapshot/tickers.ts';
import { HOUR_MS, isoSeconds } from '../platform/time.ts';
import type { BaseCandle } from './candles.ts';
import { inUnit, type KnownPrice, upTo } from './running.ts';

/** When the running hour opened. */
const OPENED = Math.floor(NOW / HOUR_MS) * HOUR_MS;
const MADE = OPENED + 600_000;

const made = (price: number): KnownPrice => ({
  price,
  madeAt: MADE,
  freshUntil: MADE + 600_000,
  source: 'test',
});

/** The candle of an hour: 0 is the running one, −1 the one before. */
function hour(index: number, changes: Partial<BaseCandle> = {}): BaseCandle {
  const opened = OPENED + index * HOUR_MS;
  const time_close = isoSeconds(index < 0 ? opened + HOUR_MS - 1000 : OPENED + 60_000);
  const prices = { open: 10, high: 12, low: 9, close: 11 };
  const others = { volume: 5, market_cap: 100, quality: 'exact', source: 'test' } as const;
  return { time_open: isoSeconds(opened), time_close, ...prices, ...others, ...changes };
}

const candlesUpTo = (candles: readonly BaseCandle[], price: number) =>
  upTo(candles, made(price), OPENED, HOUR_MS);

describe('the running candle', () => {
  it.each([
    ['between them leaves low and high', 10.5, 9, 12],
    ['above the high is the new one', 13, 9, 13],
    ['below the low is the new one', 8, 8, 12],
  ])('closes with the newest price, which %s', (_what, price, low, high) => {
    const candles = [hour(-2), hour(-1), hour(0)];
    const running = hour(0, { close: price, low, high, time_close: isoSeconds(MADE) });
    expect(candlesUpTo(candles, price)).toEqual([hour(-2), hour(-1), running]);
  });

  it('is made of the price if it is missing, from the close of the one before', () => {
    const candles = [hour(-2), hour(-1, { close: 11.5 })];
    expect(candlesUpTo(candles, 13)).toEqual([
      ...candles,
      {
        ...{ time_open: isoSeconds(OPENED), time_close: isoSeconds(MADE) },
        ...{ open: 11.5, high: 13, low: 11.5, close: 13, volume: null, market_cap: null },
        ...{ quality: 'derived', source: 'test' },
      },
    ]);
  });

  it.each([
    ['there is a gap before it', [hour(-2, { close: 11.5 })]],
    ['there are no candles', []],
  ])('opens with the price itself if %s', (_when, candles) => {
    const running = candlesUpTo(candles, 13).at(-1);
    expect(running).toMatchObject({ open: 13, high: 13, low: 13, close: 13, volume: null });
  });
});

describe('a price in units of another coin', () => {
  it('is as old as the older of the two, and names both sources', () => {
    const bitcoin = { price: 80_000, madeAt: MADE - 60_000, freshUntil: MADE + 300_000, source: 'other' };
    expect(inUnit(made(4_000), bitcoin)).toEqual({
      price: 0.05,
      madeAt: MADE - 60_000,
      freshUntil: MADE + 300_000,
      source: 'test,other',
    });
  });
});
