import { describe, expect, test } from 'vitest';
import { tickerOf } from '../../../test/client/stub-api.ts';
import type { Provenance } from '../provenance.ts';
import type { Priced, PriceResult } from '../result.ts';
import { pricesLines } from './price.ts';
import { plainText } from './text.ts';
import { displayWidth } from './width.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 4);
const exact: Provenance = {
  sources: ['coinpaprika'],
  isSimulated: false,
  quality: 'exact',
  madeAt: NOW - 60_000,
  outdatedMs: undefined,
  freshUntil: NOW,
};

function priced(
  symbol: string,
  name: string,
  changes: Partial<Priced> = {},
  price: number | null = 1,
): Priced {
  const id = `${symbol}-${name}`;
  return {
    coin: { id, name, symbol, alternatives: 0, isActive: true },
    data: tickerOf({ id, name, symbol }, { price }),
    provenance: exact,
    ...changes,
  };
}

function linesOf(prices: readonly Priced[], width: number, changes: Partial<PriceResult> = {}): string[] {
  const command = { name: 'price', symbols: [], protocol: 'coinpaprika' } as const;
  const result: PriceResult = { kind: 'price', command, prices, missing: [], ...changes };
  return plainText(pricesLines(result, width, NOW)).split('\n');
}

const two = [priced('BTC', 'Bitcoin', {}, 67_123.456), priced('战旗', '战旗 of a long name')];

describe('a table of prices', () => {
  test.each([20, 30, 40, 60, 80, 100, 140])('fits %i cells, and its columns are straight', (width) => {
    const [header = '', ...rows] = linesOf(two, width).slice(0, 3);
    const wide = Math.max(width, displayWidth('Symbol  $67,123.46  +2.31%')); // these are always there
    for (const line of [header, ...rows]) {
      expect(displayWidth(line)).toBeLessThanOrEqual(wide);
      expect(displayWidth(line)).toBe(displayWidth(header));
    }
  });

  test('drops columns from the right to the name, and then the week', () => {
    const titles = [20, 40, 50, 60, 80].map((width) => linesOf(two, width)[0]?.trim().split(/ {2,}/));
    expect(titles).toEqual([
      ['Symbol', 'Price', '24h'],
      ['Symbol', 'Price', '24h', '7d'],
      ['Symbol', 'Name', 'Price', '24h', '7d'],
      ['Symbol', 'Name', 'Price', '1h', '24h', '7d'],
      ['Symbol', 'Name', 'Price', '1h', '24h', '7d', 'Market cap', '24h volume'],
    ]);
  });

  test('names the coins of each source or quality, with the time of the oldest price', () => {
    const older = { ...exact, madeAt: NOW - 120_000 };
    const stale = { ...exact, quality: 'stale' } as const;
    const simulated = { ...exact, sources: [], isSimulated: true };
    const prices = [
      priced('A', 'A'),
      priced('B', 'B', { provenance: older }),
      priced('C', 'C', { provenance: stale }),
      priced('D', 'D', { provenance: simulated }),
    ];
    expect(linesOf(prices, 80).slice(5)).toEqual([
      'Source of A, B: CoinPaprika, as of 12:02 UTC',
      'Source of C: CoinPaprika, as of 12:03 UTC, provider unreachable',
      'Source of D: simulated data, not real prices, as of 12:03 UTC',
    ]);
  });
});
