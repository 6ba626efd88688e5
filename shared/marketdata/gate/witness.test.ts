import { describe, expect, it } from 'vitest';
import { quotesOf } from '../../../test/snapshot/two-sides.ts';
import { agreementOf } from '../sources/market.ts';
import { opinionOf } from './witness.ts';

const NOW = Date.UTC(2026, 8, 18, 4, 10);
const MINUTE_MS = 60_000;
const quotesAt = (takenAt: number, ...prices: number[]) => ({
  takenAt,
  coins: new Map([['a', quotesOf(...prices)]]),
});

describe('the markets’ opinion of a price', () => {
  it.each<[string, readonly number[], number, number, number, string]>([
    ['one market agrees', [101], 1, 1, 0, 'agrees'],
    ['one market alone disputes nothing', [500], 0, 1, 0, 'silent'],
    ['two agree, and one that lies changes nothing', [100, 101, 900], 2, 3, 792.0792, 'agrees'],
    ['all are off together', [112, 113, 114], 0, 3, 1.7699, 'contradicts'],
    ['two are off together', [80, 88], 0, 2, 9.5238, 'contradicts'],
    ['less than a tenth off is not disputed', [91, 91], 0, 2, 0, 'agrees'],
    ['2 % off agrees', [98, 102, 102.1], 2, 3, 4.0196, 'agrees'],
  ])('%s', (_what, prices, agreeing, of, spreadPercent, verdict) => {
    const quotes = quotesOf(...prices);
    expect(opinionOf('a', 100, NOW, quotesAt(NOW, ...prices))).toMatchObject({
      verdict,
      sources: {
        ...{ agreeing, of, spreadPercent },
        prices: quotes.map(({ exchange, price: last }) => ({ exchange, price: last })),
      },
    });
  });

  it('is none without a market, without a price, and for another coin', () => {
    const silent = { verdict: 'silent', middle: undefined };
    expect(opinionOf('a', 100, NOW, undefined)).toEqual({ ...silent, sources: null });
    expect(opinionOf('b', 100, NOW, quotesAt(NOW, 1, 1))).toEqual({ ...silent, sources: null });
    expect(opinionOf('a', null, NOW, quotesAt(NOW, 1, 1))).toMatchObject(silent);
    expect(agreementOf(null, quotesOf(1, 1))).toMatchObject({ agreeing: 0, of: 2, spreadPercent: 0 });
  });

  it.each<[string, number, number, string]>([
    ['of the same minute', 0, 82, 'contradicts'],
    ['of ten minutes before', -10, 82, 'silent'],
    ['of ten minutes before that are far off', -10, 60, 'contradicts'],
    ['of minutes after it', 6, 82, 'silent'],
  ])('compares only prices of one moment closely: %s', (_what, minutes, price, verdict) => {
    const quotes = quotesAt(NOW + minutes * MINUTE_MS, price, price);
    expect(opinionOf('a', 100, NOW, quotes).verdict).toBe(verdict);
  });

  it('agrees with a price between two runs that was between their prices', () => {
    const earlier = [{ takenAt: NOW - 9 * MINUTE_MS, medians: new Map([['a', 100]]) }];
    const quotes = { ...quotesAt(NOW + MINUTE_MS, 80, 80), earlier };
    expect(opinionOf('a', 95, NOW, quotes).verdict).toBe('agrees');
    expect(opinionOf('a', 115, NOW, quotes).verdict).toBe('contradicts');
    expect(opinionOf('a', 95, NOW + 2 * MINUTE_MS, quotes).verdict).toBe('contradicts');
  });
});
