import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/snapshot/tickers.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts';
import type { Known, MaxAge } from './current-ticker.ts';
import { chosen } from './other-prices.ts';

/** A price made so long ago that counts for twenty minutes and may be shown for an hour more. */
const made = (ago: number, given: Partial<Known> = {}): Known => {
  const madeAt = NOW - ago;
  const answersUntil = madeAt + 20 * MINUTE_MS;
  return { price: 1, madeAt, answersUntil, staleUntil: answersUntil + HOUR_MS, ...given };
};
const row = made(5 * MINUTE_MS, { price: 10 });
const tail = made(MINUTE_MS, { price: 20 });
const own = made(0, { price: 30 });
const staleRow = made(30 * MINUTE_MS, { price: 10 });
const staleTail = made(25 * MINUTE_MS, { price: 20 });
const gone = made(2 * HOUR_MS, { price: 99 });
const disputed = { ...row, quality: 'disputed' } as const;

describe('the price now among the known ones', () => {
  it.each<[what: string, known: (Known | undefined)[], maxAge: MaxAge, price: number | undefined]>([
    ['that of the row while it counts, if others are newer', [row, tail, own], 'shown', 10],
    ['that of the tail before that of the own object', [undefined, tail, own], 'shown', 20],
    ['one that counts before a stale one', [staleRow, undefined, own], 'shown', 30],
    ['the newest of stale ones', [staleRow, staleTail], 'shown', 20],
    ['none past its bound', [gone], 'shown', undefined],
    ['none if nothing is known', [undefined, undefined], 'shown', undefined],
    ['a disputed one to be shown', [disputed, tail], 'shown', 10],
    ['no other one in place of a disputed one', [disputed, tail], HOUR_MS, undefined],
    ['a stale one that is young enough', [staleRow], HOUR_MS, 10],
    ['no stale one that is too old', [staleRow], 30 * MINUTE_MS, undefined],
    ['no old one that counts, as of a coin that is hardly traded', [row], 5 * MINUTE_MS, undefined],
    ['no price of zero', [{ ...row, price: 0 }], HOUR_MS, undefined],
    ['an unknown price of a row to be shown', [{ ...row, price: null }, own], 'shown', null as never],
  ])('is %s', (_what, known, maxAge, price) => {
    expect(chosen(known, maxAge, NOW)?.price).toBe(price);
  });
});
