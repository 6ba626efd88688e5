import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { joined, type StoredCandle } from './stored-candle.ts';

const DAY = Date.UTC(2026, 10, 20);

const candle = (given: Partial<StoredCandle>): StoredCandle => ({
  opensAt: DAY,
  open: 1,
  high: 2,
  low: 1,
  close: 2,
  volume: null,
  market_cap: null,
  volume_24h: null,
  quality: 'sampled',
  samples: 144,
  lastAt: DAY + DAY_MS,
  isSettled: true,
  source: 'coinpaprika',
  ...given,
});
const exact = candle({ quality: 'exact', samples: 0, source: 'coinbase' });

describe('two candles of one interval', () => {
  it.each(['first', 'last'])(
    'are the better one with the amounts that it lacks, if that one comes %s',
    (place) => {
      const other = candle({ open: 5, volume: 70, market_cap: 80 });
      const [a, b] = place === 'first' ? [exact, other] : [other, exact];
      expect(joined([a], [b])).toEqual([{ ...exact, volume: 70, market_cap: 80 }]);
    },
  );

  it('keep the volume of the interval and that of 24 hours apart', () => {
    const hour = candle({ samples: 6, volume_24h: 70, market_cap: 80 });
    expect(joined([exact], [hour])).toEqual([{ ...exact, volume_24h: 70, market_cap: 80 }]);
    const ofProvider = candle({ quality: 'derived', samples: 0, volume: 3 });
    expect(joined([hour], [ofProvider])).toEqual([{ ...hour, volume: 3 }]);
  });

  it('are the settled one, whatever its quality; of two that are not, one of a later slot of two hours', () => {
    const part = { ...exact, isSettled: false, lastAt: DAY + HOUR_MS };
    const whole = candle({ quality: 'derived', samples: 1 });
    expect(joined([part], [whole])).toEqual([whole]);
    expect(joined([whole], [part])).toEqual([whole]);
    const soon = candle({ isSettled: false, lastAt: DAY + 1.9 * HOUR_MS });
    expect(joined([part], [soon])).toEqual([part]);
    const later = candle({ isSettled: false, lastAt: DAY + 3 * HOUR_MS });
    expect(joined([part], [later])).toEqual([later]);
    expect(joined([later], [part])).toEqual([later]);
  });

  it('are the same of three, whatever the order: none beats another that beats a third that beats it', () => {
    const running = (hours: number, quality: 'exact' | 'sampled' | 'derived') =>
      candle({ isSettled: false, lastAt: DAY + hours * HOUR_MS, quality });
    const [a, b, c] = [running(0, 'exact'), running(1.5, 'sampled'), running(3, 'derived')];
    const orders = [
      [a, b, c],
      [a, c, b],
      [b, a, c],
      [b, c, a],
      [c, a, b],
      [c, b, a],
    ];
    for (const [one, two, three] of orders as (typeof a)[][])
      expect(joined(joined([one ?? a], [two ?? a]), [three ?? a])).toEqual([c]);
  });

  it('are joined once and for all', () => {
    const amount = fc.option(fc.integer({ min: 1, max: 9 }));
    const any = fc
      .record({
        opensAt: fc.constantFrom(DAY, DAY + DAY_MS),
        open: fc.integer({ min: 1, max: 9 }),
        volume: amount,
        market_cap: amount,
        quality: fc.constantFrom('exact' as const, 'sampled' as const, 'derived' as const),
        samples: fc.constantFrom(0, 3, 6),
        volume_24h: amount,
        isSettled: fc.boolean(),
        isNewUnit: fc.boolean(),
        lastAt: fc.constantFrom(DAY + HOUR_MS, DAY + DAY_MS),
      })
      .map(candle);
    const list = fc
      .uniqueArray(any, { selector: ({ opensAt }) => opensAt })
      .map((candles) => candles.toSorted((one, other) => one.opensAt - other.opensAt));
    fc.assert(
      fc.property(list, list, (a, b) => {
        const once = joined(a, b);
        expect(joined(once, b)).toEqual(once);
        expect(joined(once, a)).toEqual(once);
      }),
    );
  });
});
