import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts';
import type { PastPrice } from '../candles.ts';
import { candleQualities } from '../provenance.ts';
import { encodeWeek, openWeek, WEEK_HOURS } from './week.ts';

const END = Date.UTC(2026, 10, 25, 9);

/** A close so many hours before the end, whose price is some minutes older than its hour's end. */
const closeAt = (hoursBack: number, given: Partial<PastPrice> = {}, minutes = 0): [number, PastPrice] => {
  const over = END - hoursBack * HOUR_MS;
  const time = over - minutes * MINUTE_MS;
  return [over, { price: 1 + hoursBack, time, quality: 'exact', source: 'coinbase', ...given }];
};

const anyCloses = fc
  .uniqueArray(
    fc.record({
      hoursBack: fc.integer({ min: 0, max: WEEK_HOURS - 1 }),
      minutes: fc.integer({ min: 0, max: 60 }),
      price: fc.double({ min: 1e-12, max: 1e12, noNaN: true }),
      quality: fc.constantFrom(...candleQualities),
      source: fc.constantFrom('coinbase', 'kraken', 'coinpaprika,kraken'),
    }),
    { selector: ({ hoursBack }) => hoursBack },
  )
  .map((all) => new Map(all.map(({ hoursBack, minutes, ...given }) => closeAt(hoursBack, given, minutes))));

describe('the week', () => {
  it('returns the stored closes of each coin', () => {
    fc.assert(
      fc.property(anyCloses, anyCloses, (a, b) => {
        const week = openWeek(encodeWeek(END, new Map(Object.entries({ a, '战旗-战旗': b }))));
        expect(week.end).toBe(END);
        expect(new Map([...week.closesOf('a')].sort())).toEqual(new Map([...a].sort()));
        expect(new Map([...week.closesOf('战旗-战旗')].sort())).toEqual(new Map([...b].sort()));
        expect(week.closesOf('b')).toEqual(new Map());
      }),
    );
  });

  it('leaves out closes older than eight days, or later than its end', () => {
    const closes = new Map([closeAt(WEEK_HOURS), closeAt(WEEK_HOURS - 1), closeAt(0), closeAt(-1)]);
    const kept = openWeek(encodeWeek(END, [['a', closes]])).closesOf('a');
    expect([...kept.keys()]).toEqual([END - (WEEK_HOURS - 1) * HOUR_MS, END]);
  });

  it('lacks a coin whose row is damaged, and no other', () => {
    const bytes = encodeWeek(END, [
      ['a', new Map([closeAt(1)])],
      ['b', new Map([closeAt(1)])],
    ]);
    const last = bytes.length - 1;
    bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
    const week = openWeek(bytes);
    expect([week.closesOf('a').size, week.closesOf('b').size, week.isWhole]).toEqual([1, 0, false]);
  });
});
