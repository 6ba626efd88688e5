import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quotesOf } from '../../../../test/snapshot/two-sides.ts';
import { median } from '../median.ts';
import { opinionOf } from './opinion.ts';

const price = fc.double({ min: 1e-12, max: 1e6, noNaN: true });

describe('what markets say to a price', () => {
  it.each([
    [[100], 100],
    [[100, 200], 150],
    [[300, 100, 200], 200],
    [[4, 1, 3, 2], 2.5],
  ])('the median of %j is %d', (numbers, expected) => {
    expect(median(numbers)).toBe(expected);
  });

  it.each<[string, readonly number[], number, number, number, number | undefined]>([
    ['one market agrees', [101], 1, 1, 0, undefined],
    ['one market alone disputes nothing', [500], 0, 1, 0, undefined],
    ['two agree, and one that lies changes nothing', [100, 101, 900], 2, 3, 792.0792, undefined],
    ['all are off together', [112, 113, 114], 0, 3, 1.7699, 113],
    ['two are off together', [80, 88], 0, 2, 9.5238, 84],
    ['less than a tenth off is not disputed', [91, 91], 0, 2, 0, undefined],
    ['2 % off agrees', [98, 102, 102.1], 2, 3, 4.0196, undefined],
  ])('%s', (_what, prices, agreeing, of, spreadPercent, against) => {
    expect(opinionOf(100, quotesOf(...prices))).toEqual({
      sources: { agreeing, of, spreadPercent },
      against,
    });
  });

  it('is nothing without a market, and no dispute without a price', () => {
    expect(opinionOf(100, [])).toEqual({ sources: null, against: undefined });
    expect(opinionOf(null, quotesOf(1, 1))).toEqual({
      sources: { agreeing: 0, of: 2, spreadPercent: 0 },
      against: undefined,
    });
  });

  it('is the same in any order and any unit, and no liar among three makes a dispute', () => {
    fc.assert(
      fc.property(price, price, fc.integer({ min: -10, max: 10 }), (truth, lie, power) => {
        const said = [truth, lie, truth * 1.01];
        const opinion = opinionOf(truth, quotesOf(...said));
        expect(opinion.against).toBeUndefined();
        expect(opinion.sources).toMatchObject({ of: 3 });
        expect(opinion.sources?.agreeing).toBeGreaterThanOrEqual(2);
        expect(opinionOf(truth, quotesOf(...said.toReversed()))).toEqual(opinion);
        const unit = 2 ** power; // exact in a double
        const scaled = opinionOf(truth * unit, quotesOf(...said.map((one) => one * unit)));
        expect(scaled.sources).toEqual(opinion.sources);
      }),
    );
  });

  it('of two that agree is a dispute exactly if both are more than a tenth off', () => {
    fc.assert(
      fc.property(price, fc.double({ min: 0.2, max: 5, noNaN: true }), (market, factor) => {
        fc.pre(Math.abs(Math.abs(factor - 1) - 0.1) > 1e-9);
        const { against } = opinionOf(market * factor, quotesOf(market, market));
        expect(against !== undefined).toBe(Math.abs(factor - 1) > 0.1);
      }),
    );
  });
});
