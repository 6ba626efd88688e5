import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryBucket } from '../../../../bench/fleet/memory-bucket.ts';
import { DAY_MS } from '../../../../shared/marketdata/store/reader.ts';
import type { Series } from '../../../../shared/marketdata/store/series-file.ts';
import { References } from './references.ts';

const TODAY = Date.UTC(2026, 8, 18);
const ID = 'a-coin';

/** A history that ends with a price of the provider's, in the middle of its last day. */
function historyTo(lastAt: number): { daily(id: string): Promise<Series> } {
  const opensAt = Math.floor(lastAt / DAY_MS) * DAY_MS;
  const close = { opensAt, open: 1, high: 1, low: 1, close: 1, volume: 5, market_cap: 9, lastAt };
  const candle = { ...close, quality: 'exact' as const, samples: 0, source: 'coinpaprika' };
  return { daily: async (id) => ({ id, stepMs: DAY_MS, candles: [candle], asked: undefined }) };
}

describe('a price of the provider’s that refused a token’s', () => {
  it('goes on refusing it until there is a newer one, at whatever time of the day it was told', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: DAY_MS - 1 }), async (time) => {
        const bucket = memoryBucket(async () => {});
        const store = historyTo(TODAY + time);
        const verdicts: boolean[] = [];
        for (let day = 1; day <= 4; day += 1) {
          const now = TODAY + day * DAY_MS + time;
          const references = await References.readIn(bucket);
          await references.lookUp(store, [ID], now);
          verdicts.push(references.refuses(ID, 50, now));
          await references.save();
        }
        expect(verdicts).toEqual([true, true, true, true]);
      }),
    );
  });
});
