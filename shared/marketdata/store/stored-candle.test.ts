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
  quality: 'sampled',
  samples: 144,
  lastAt: DAY + DAY_MS,
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
      expect(joined([a], [b], DAY_MS)).toEqual([{ ...exact, volume: 70, market_cap: 80 }]);
    },
  );

  it('of an hour share no volume if one of them has that of 24 hours', () => {
    const hour = candle({ samples: 6, volume: 70, market_cap: 80 });
    expect(joined([exact], [hour], HOUR_MS)).toEqual([{ ...exact, market_cap: 80 }]);
    const sampled = { ...hour, volume: null };
    const ofProvider = candle({ quality: 'derived', samples: 0, volume: 3 });
    expect(joined([sampled], [ofProvider], HOUR_MS)).toEqual([sampled]);
    expect(joined([exact], [ofProvider], HOUR_MS)).toEqual([{ ...exact, volume: 3 }]);
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
      })
      .map(candle);
    const list = fc.uniqueArray(any, { selector: ({ opensAt }) => opensAt });
    fc.assert(
      fc.property(list, list, fc.constantFrom(HOUR_MS, DAY_MS), (a, b, stepMs) => {
        const once = joined(a, b, stepMs);
        expect(joined(once, b, stepMs)).toEqual(once);
        expect(joined(once, a, stepMs)).toEqual(once);
      }),
    );
  });
});
