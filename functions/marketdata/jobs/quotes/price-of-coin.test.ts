import { describe, expect, it } from 'vitest';
import { earlierOf, type Known, quoteOf, type Stated, type TimedQuote } from './price-of-coin.ts';

const NOW = Date.UTC(2026, 10, 29, 12);
const MINUTE_MS = 60_000;
const names = ['coinbase', 'kraken', 'binance'] as const;

/** A market's quote with a time of its own, a second ago. */
function quote(price: number, given: Partial<TimedQuote> = {}, exchange: string = 'binance'): TimedQuote {
  const madeAt = given.madeAt ?? NOW - 1000;
  return { exchange, market: exchange, price, change: null, at: madeAt, ...given, madeAt };
}
/** One without, as Coinbase and Kraken have them. */
const timeless = (price: number, given: Partial<TimedQuote> = {}, exchange = 'kraken') =>
  quote(price, { at: null, ...given }, exchange);
const all = (...prices: number[]) => prices.map((price, index) => quote(price, {}, names[index]));
const stated = (price: number | null, given: Partial<Stated> = {}): Stated => ({
  ...{ price, madeAt: NOW - 5 * MINUTE_MS, isDisputed: false },
  ...given,
});
const said = (quotes: readonly TimedQuote[], known: Partial<Known> = {}) =>
  quoteOf(quotes, { stated: stated(100), earlier: [], now: NOW, ...known });

describe('the price of a coin at its markets', () => {
  it.each<[string, readonly TimedQuote[], number | undefined]>([
    ['of two is what lies between them', all(100, 102), 101],
    ['of three is the middle one', all(100, 109, 101), 101],
    ['of two within a tenth, far from the third, is theirs', all(100, 108, 200), 104],
    ['of two that are more than a tenth apart is none', all(100, 111), undefined],
    ['of three that all contradict each other is none', all(100, 120, 140), undefined],
    ['of one is its own, within a tenth of the provider’s last', all(110), 110],
    ['of one that is further off is none', all(111), undefined],
    ['of none is none', [], undefined],
  ])('%s', (_what, quotes, price) => {
    expect(said(quotes)?.price).toBe(price);
  });

  it('of one is none if the provider’s is unknown or disputed; of two it needs none', () => {
    for (const unknown of [undefined, stated(null), stated(100, { isDisputed: true })]) {
      expect(said(all(100), { stated: unknown })).toBeUndefined();
      expect(said(all(100, 101), { stated: unknown })?.price).toBe(100.5);
    }
  });

  it.each<[string, TimedQuote, boolean]>([
    ['of now counts', quote(100), true],
    ['of five minutes ago counts no longer', quote(100, { madeAt: NOW - 5 * MINUTE_MS }), false],
    ['of a second less counts', quote(100, { madeAt: NOW - 5 * MINUTE_MS + 1000 }), true],
    ['of two minutes ahead is of a wrong clock', quote(100, { madeAt: NOW + 2 * MINUTE_MS }), false],
    ['without a time and without offers does not count', timeless(100), false],
    ['without a time, between its offers, counts', timeless(100, { bid: 99, ask: 101 }), true],
    ['2 % beside its offers counts', timeless(100, { bid: 95, ask: 98.04 }), true],
    ['further beside them does not', timeless(100, { bid: 95, ask: 98 }), false],
    ['that they pass on the other side does not', timeless(100, { bid: 102.1, ask: 104 }), false],
    ['with one offer alone does not', timeless(100, { bid: 100 }), false],
    ['between offers that are far apart does not', timeless(100, { bid: 90, ask: 110 }), false],
    [
      'without a time that was traded since four minutes ago counts',
      timeless(100, { tradedAfter: NOW - 4 * MINUTE_MS }),
      true,
    ],
    [
      'that was traded since five minutes ago does not',
      timeless(100, { tradedAfter: NOW - 5 * MINUTE_MS }),
      false,
    ],
    [
      'that was traded since, but not at the offers, does not',
      timeless(100, { tradedAfter: NOW - MINUTE_MS, bid: 105, ask: 106 }),
      false,
    ],
    ['with a time is refused by offers, too', quote(100, { bid: 103, ask: 104 }), false],
  ])('a quote %s', (_what, one, counts) => {
    expect(said([one]) !== undefined).toBe(counts);
  });

  it('is confirmed without a time by another market within 2 %, and not by itself', () => {
    expect(said([timeless(100), quote(102)])?.prices).toHaveLength(2);
    expect(said([timeless(100), quote(103)])?.prices).toEqual([{ exchange: 'binance', price: 103 }]);
    expect(said([timeless(100), timeless(100)])).toBeUndefined();
    expect(said([timeless(100), timeless(101, {}, 'coinbase')])?.price).toBe(100.5);
  });

  it('is as old as the last run that had another price, if nothing else confirms it', () => {
    const tradedAfter = NOW - 2 * MINUTE_MS;
    expect(said([timeless(100, { tradedAfter })])?.madeAt).toBe(tradedAfter);
    expect(said([timeless(100, { tradedAfter }), quote(101)])?.madeAt).toBe(NOW - 1000);
  });

  it('is as old as the oldest of its trades', () => {
    const old = NOW - 3 * MINUTE_MS;
    expect(said([quote(100), quote(101, { madeAt: old }, 'kraken')])?.madeAt).toBe(old);
  });
});

describe('a price that the provider contradicts', () => {
  const earlier = [
    { takenAt: NOW - 4 * MINUTE_MS, price: 100 },
    { takenAt: NOW - 5 * MINUTE_MS, price: 115 },
    { takenAt: NOW - 8 * MINUTE_MS, price: 120 },
  ];
  it.each<[string, number, Known['earlier'], boolean]>([
    ['is disputed if that of the same minute is more than a tenth off', 130, earlier, true],
    ['is not after a crash since that minute', 120, earlier, false],
    ['is not while no run is of that minute, unless a crash cannot explain it', 125, [], false],
    ['is then, too', 131, [], true],
  ])('%s', (_what, price, runs, isDisputed) => {
    expect(said(all(100, 101), { stated: stated(price), earlier: runs })?.isDisputed).toBe(isDisputed);
  });
});

describe('changes', () => {
  const run = (minutes: number, price: number) => ({ takenAt: NOW - minutes * MINUTE_MS, price });

  it('are since the run of that time, in hundredths of a percent', () => {
    const runs = [run(1, 99), run(14, 97), run(15, 96), run(30, 120)];
    expect(said(all(100, 100), { earlier: runs })).toMatchObject({ change15m: 4.17, change30m: -16.67 });
  });

  it('are unknown if no run is within a tenth of their length', () => {
    expect(said(all(100, 100), { earlier: [run(13, 97), run(26, 97)] })).toMatchObject({
      ...{ change15m: null, change30m: null },
    });
  });
});

it('earlier prices of a coin are those of the runs that have it', () => {
  const runs = [
    { takenAt: 3, medians: new Map([['a', 7]]) },
    { takenAt: 2, medians: new Map() },
  ];
  expect(earlierOf(runs, 'a')).toEqual([{ takenAt: 3, price: 7 }]);
});
