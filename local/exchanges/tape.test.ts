import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { defaultCoins } from '../provider/coins.ts';
import { type Asset, createMarket, priceAt } from '../provider/market.ts';
import { NOW, TODAY } from './exchanges.testing.ts';
import { barsBetween, type TapeOptions, tapeOf } from './tape.ts';

const market = createMarket(defaultCoins, 1);

function assetOf(id: string): Asset {
  const asset = market.asset(id);
  if (!asset) throw new Error(`There is no ${id}`);
  return asset;
}

const bitcoin = assetOf('btc-bitcoin');
const plain = { quote: undefined, seed: 5, multiple: 1, share: 0.1, decimals: 2, silence: 0 };
const tape = (options: Partial<TapeOptions> = {}) =>
  tapeOf({ asset: bitcoin, ...plain, endMs: () => Infinity, ...options });

test('the price is the coin’s, within a quarter of a percent, at any time', () => {
  const { priceAt: priceHere } = tape();
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2020), max: NOW }), (ms) => {
      expect(Math.abs(priceHere(ms) / priceAt(bitcoin, ms) - 1)).toBeLessThan(0.0025);
    }),
  );
});

test('a price in Tether is that in dollars by the price of Tether, and one of a thousand coins a thousandfold', () => {
  const { coin } = assetOf('usdt-tether');
  const tether = createMarket([{ ...coin, priceUsd: 0.93 }], 1).asset(coin.id);
  const dollars = tape().priceAt(NOW);
  expect(tape({ quote: tether }).priceAt(NOW) / dollars).toBeCloseTo(1 / 0.93, 2);
  expect(tape({ multiple: 1000 }).priceAt(NOW) / dollars).toBeCloseTo(1000, 0);
});

describe.each([0, 0.3])('with %d of all hours silent', (silence) => {
  const traded = tape({ silence });

  test('a day is the fold of its hours, and an hour that of its minutes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 500 }),
        fc.constantFrom([DAY_MS, HOUR_MS], [HOUR_MS, 300_000]),
        (back, [longMs = 0, shortMs = 0]) => {
          const fromMs = TODAY - back * longMs;
          const whole = traded.bar(fromMs, longMs, NOW);
          const toMs = fromMs + longMs - 1;
          const parts = barsBetween(traded, { fromMs, toMs, intervalMs: shortMs, nowMs: NOW }, false);
          expect(whole?.open).toBe(parts[0]?.open);
          expect(whole?.close).toBe(parts.at(-1)?.close);
          if (!whole) return;
          expect(whole.high).toBe(Math.max(...parts.map(({ high }) => high)));
          expect(whole.low).toBe(Math.min(...parts.map(({ low }) => low)));
          expect(
            parts.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0) / whole.quoteVolume,
          ).toBeCloseTo(1, 6);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('the running bar closes at the price of the last trade', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 * DAY_MS }), (back) => {
        const nowMs = NOW - back;
        const openMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
        const bar = traded.bar(openMs, DAY_MS, nowMs);
        if (bar) expect(bar.close).toBe(traded.priceAt(nowMs));
      }),
    );
  });
});

test('bars have wicks', () => {
  const bars = barsBetween(
    tape(),
    { fromMs: TODAY - 30 * DAY_MS, toMs: TODAY, intervalMs: DAY_MS, nowMs: NOW },
    true,
  );
  const withWicks = bars.filter(
    ({ open, high, low, close }) => high > Math.max(open, close) && low < Math.min(open, close),
  );
  expect([bars.length, withWicks.length > 20]).toEqual([31, true]);
});

test('nothing is traded in silent hours, of which some are whole days, and the price stays', () => {
  const silent = tape({ silence: 0.3 });
  const span = { fromMs: TODAY - 100 * DAY_MS, toMs: TODAY - 1, nowMs: NOW };
  const hours = barsBetween(silent, { ...span, intervalMs: HOUR_MS }, false);
  const days = barsBetween(silent, { ...span, intervalMs: DAY_MS }, false);
  expect(hours.length / 2400).toBeCloseTo(0.66, 1);
  expect(days.length).toBeLessThan(100);
  const told = new Map(hours.map((bar) => [bar.openMs, bar]));
  for (const { openMs, close, volume } of barsBetween(silent, { ...span, intervalMs: HOUR_MS }, true)) {
    if (!told.has(openMs)) expect([close, volume]).toEqual([silent.priceAt(openMs), 0]);
  }
});

test('before the first trade there is no price, and after the last one it stays', () => {
  const endMs = TODAY - 2.5 * DAY_MS;
  const ended = tape({ endMs: () => endMs });
  expect(ended.priceAt(Date.UTC(2009, 5))).toBe(0);
  expect(ended.priceAt(NOW)).toBe(tape().priceAt(endMs));
  expect(ended.bar(TODAY, DAY_MS, NOW)).toBeUndefined();
  expect(ended.bar(TODAY - 3 * DAY_MS, DAY_MS, NOW)?.close).toBe(ended.priceAt(NOW));
  expect(ended.day(NOW)).toBeUndefined();
});
