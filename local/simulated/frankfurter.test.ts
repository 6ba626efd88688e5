import { describe, expect, test } from 'vitest';
import { currencyOf } from '../../shared/marketdata/currencies.ts';
import { ask, worldForTest } from './asking.testing.ts';
import { lieNames } from './lies.ts';
import { DAY_MS, HOUR_MS } from './market.ts';

interface Row {
  readonly date: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: number;
}

/** A Friday evening. */
const NOW = Date.UTC(2026, 10, 20, 20);
const worldAt = (now = NOW, options = {}) => worldForTest({ now: () => now, ...options });
const rows = (query: string, now = NOW) => ask<Row[]>(worldAt(now).frankfurter, `/rates?${query}`).json;
const rateOf = (all: readonly Row[], code: string) => all.find(({ quote }) => quote === code)?.rate ?? 0;

describe('the latest rates', () => {
  test('are of all currencies and metals, and of two codes that are no currencies, each with its day', () => {
    const latest = rows('base=EUR');
    expect(latest.find(({ quote }) => quote === 'EUR')).toEqual({
      ...{ date: '2026-11-20', base: 'EUR', quote: 'EUR', rate: 1 },
    });
    expect(latest.map(({ quote }) => quote)).toEqual(latest.map(({ quote }) => quote).toSorted());
    expect(latest.filter(({ quote }) => !currencyOf(quote)).map(({ quote }) => quote)).toEqual([
      'CNH',
      'XDR',
    ]);
    expect(latest.length).toBeGreaterThan(150);
    const days = Object.groupBy(latest, ({ date }) => date);
    expect(Object.keys(days).sort()).toEqual(['2026-11-19', '2026-11-20']);
    expect(days['2026-11-19']?.map(({ quote }) => quote)).toEqual(['AFN', 'LYD', 'MMK']);
  });

  test('are within a tenth of a percent of the reference rates, and not the same', () => {
    const { ecb } = worldAt();
    const file = ask(ecb, '/eurofxref-daily.xml').text;
    const latest = rows('');
    const references = [...file.matchAll(/currency='(.*?)' rate='(.*?)'/g)];
    const deviations = references.map(([, code = '', rate]) => rateOf(latest, code) / Number(rate) - 1);
    expect(deviations).toHaveLength(29);
    expect(Math.max(...deviations.map(Math.abs))).toBeLessThan(0.001);
    expect(deviations.filter((one) => one === 0)).toEqual([]);
  });

  test('of pegged currencies stay within the differences between banks', () => {
    const dirhams = [0, 100, 400].map((days) => {
      const all = rows('quotes=USD,AED', NOW - days * DAY_MS);
      return rateOf(all, 'AED') / rateOf(all, 'USD');
    });
    for (const one of dirhams) expect(Math.abs(one / 3.6725 - 1)).toBeLessThan(0.002);
  });

  test('are in another base, or of some currencies, on request', () => {
    const inDollars = rows('base=USD&quotes=EUR,UAH');
    expect(inDollars.map(({ base, quote }) => base + quote)).toEqual(['USDEUR', 'USDUAH']);
    expect(rateOf(inDollars, 'EUR')).toBeCloseTo(1 / rateOf(rows('quotes=USD'), 'USD'), 4);
  });

  test('of a day are those that existed by then, on a Sunday those of Friday', () => {
    expect(rows('date=2026-11-15&quotes=UAH')).toMatchObject([{ date: '2026-11-13' }]);
    expect(rows('date=2026-11-13&quotes=UAH')).toEqual(rows('date=2026-11-15&quotes=UAH'));
    expect(rows('date=2024-01-05&quotes=ZWG,UAH')).toHaveLength(1);
  });
});

describe('the rates of a range', () => {
  test('are a row for each working day and currency, in the order of both', () => {
    const range = rows('from=2026-11-13&to=2026-11-16&quotes=UAH,TWD');
    expect(range.map(({ date, quote }) => date + quote)).toEqual([
      ...['2026-11-13TWD', '2026-11-13UAH', '2026-11-16TWD', '2026-11-16UAH'],
    ]);
    expect(range.at(-1)).toEqual(rows('date=2026-11-16&quotes=UAH')[0]);
  });

  test('end with the latest, and a currency begins on its first day', () => {
    const range = rows('from=2010-01-01&quotes=ZWG');
    expect([range[0]?.date, range.at(-1)?.date]).toEqual(['2024-04-08', '2026-11-20']);
  });

  test('of five years of sixteen currencies are computed within a second', () => {
    const codes = rows('')
      .map(({ quote }) => quote)
      .slice(0, 16);
    const begin = performance.now();
    expect(rows(`from=2010-01-01&quotes=${codes.join(',')}`).length).toBeGreaterThan(18_000);
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

test.each([
  ['quotes=UAH,VED,QQQ', 'invalid currency: VED,QQQ'],
  ['base=QQQ', 'invalid currency: QQQ'],
  ['date=2026-02-30', 'invalid date'],
  ['from=yesterday', 'invalid date'],
  ['date=2026-01-02&from=2026-01-01', 'conflicting params'],
  ['symbols=UAH', 'unknown parameter: symbols'],
])('the request %s is refused as the real service does', (query, message) => {
  const { status, json } = ask(worldAt().frankfurter, `/rates?${query}`);
  expect([status, json]).toEqual([422, { status: 422, message }]);
});

describe('a lie', () => {
  const under = (fault: string, query = 'base=EUR') =>
    ask<Row[]>(worldAt(NOW, { faults: { frankfurter: fault } }).frankfurter, `/rates?${query}`);

  test.each(lieNames('rates'))('%s changes the latest rates and those of a range', (lie) => {
    for (const query of ['base=EUR', 'from=2026-11-02&quotes=UAH,TWD,USD'])
      expect(under(`lie=${lie}`, query).text).not.toBe(under('status=503@/other', query).text);
  });

  test('about the base, and about ten years ago, are today’s rates of another kind', () => {
    const base = under('lie=base').json;
    expect([rateOf(base, 'AED'), base[0]?.base]).toEqual([1, 'EUR']);
    const decade = under('lie=decade').json;
    expect(decade.map(({ date }) => date)).toContain('2026-11-20');
    expect(Math.abs(rateOf(decade, 'USD') / rateOf(rows(''), 'USD') - 1)).toBeGreaterThan(0.001);
  });

  test('withdraws a currency for as long as it lasts', () => {
    expect(under('lie=withdrawn').json.map(({ quote }) => quote)).not.toContain('ZWG');
    expect(rows('').map(({ quote }) => quote)).toContain('ZWG');
  });
});

test('rates appear on the same afternoon as the reference rates', () => {
  const newest = (now: number) => rows('quotes=UAH', now)[0]?.date;
  const monday = Date.UTC(2026, 10, 23);
  expect([newest(monday + 9 * HOUR_MS), newest(monday + 15 * HOUR_MS)]).toEqual(['2026-11-20', '2026-11-23']);
  expect(newest(monday - DAY_MS)).toBe('2026-11-20');
});
