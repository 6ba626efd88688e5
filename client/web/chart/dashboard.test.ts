import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { intervals, quotes, rangeNames, ranges } from '../../commands/parse/table.ts';
import { type DashboardItem, hashOf, MAX_COMPARED, requestsIn } from './dashboard.ts';

const item = (changes: Partial<DashboardItem['command']> = {}, isLogarithmic = false): DashboardItem => ({
  command: {
    name: 'chart',
    symbol: 'BTC',
    compare: [],
    protocol: 'coinpaprika',
    style: undefined,
    range: {},
    ...changes,
  },
  isLogarithmic,
});

const symbol = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() !== '');
const some = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const range = fc.oneof(
  fc.constantFrom(...rangeNames).map((name) => ({ ...ranges[name] })),
  fc
    .record({
      interval: some(fc.constantFrom(...intervals)),
      limit: some(fc.integer({ min: 1, max: 366 })),
      start: some(fc.constantFrom('2026-01-01', '2026-01-01T12:00:00Z', 'a,b:c+d')),
      end: some(fc.constant('2026-02-01T00:00:00+01:00')),
      quote: some(fc.constantFrom(...quotes)),
    })
    .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))),
);
const items = fc.array(
  fc
    .record({
      symbol,
      compare: fc.array(symbol, { maxLength: MAX_COMPARED }),
      style: some(fc.constantFrom('line' as const, 'candles' as const)),
      range,
      isLogarithmic: fc.boolean(),
    })
    .map(({ isLogarithmic, ...fields }) => item(fields, isLogarithmic)),
  { maxLength: 20 },
);

describe('the address of a dashboard', () => {
  test.each([
    ['', []],
    ['#BTC', [item()]],
    ['#BTC,ETH:line:1y', [item(), item({ symbol: 'ETH', style: 'line', range: ranges['1y'] })]],
    ['#BTC+ETH+SOL:3m', [item({ compare: ['ETH', 'SOL'], range: ranges['3m'] })]],
    [
      '#btc-bitcoin:candles:log:26x7d',
      [item({ symbol: 'btc-bitcoin', style: 'candles', range: { interval: '7d', limit: 26 } }, true)],
    ],
    ['#ETH:x1h:btc', [item({ symbol: 'ETH', range: { interval: '1h', quote: 'btc' } })]],
    ['#BTC:from=2026-01-01:to=2026-02-01', [item({ range: { start: '2026-01-01', end: '2026-02-01' } })]],
  ])('is %s for these cards, and means them', (hash, cards) => {
    expect(hashOf(cards)).toBe(hash);
    expect(requestsIn(hash)).toEqual(cards);
  });

  test('loses nothing that a card can show', () => {
    fc.assert(
      fc.property(items, (cards) => {
        expect(requestsIn(hashOf(cards))).toEqual(cards);
      }),
    );
  });

  test('has the moving average of a chart, and of no other', () => {
    const items = [{ ...item(), hasAverage: true }, item({ symbol: 'ETH' })];
    expect(hashOf(items)).toBe('#BTC:ma,ETH');
    expect(requestsIn('#BTC:ma,ETH')).toEqual(items);
  });

  test('may tell style and range in any order', () => {
    expect(requestsIn('ETH:1y:line')).toEqual(requestsIn('#ETH:line:1y'));
  });

  test.each([
    '#',
    '#,,:,+',
    '#BTC:nothing',
    '#BTC:0x1h',
    '#BTC:367x',
    '#BTC:x2h',
    '#BTC:by=nobody',
    '#BTC:from=%',
    '#%E0%A4%A',
    '#BTC+',
    '#BTC:__proto__',
    '#BTC:',
    `#${'A'.repeat(101)}`,
  ])('is no card for %s', (hash) => {
    expect(requestsIn(hash)).toEqual([]);
  });

  test('gives no exception, few cards and few compared coins, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const { command } of requestsIn(text)) expect(command.compare.length).toBeLessThanOrEqual(4);
      }),
    );
    expect(requestsIn(`#${'BTC,'.repeat(10_000)}`)).toHaveLength(20);
    expect(requestsIn('#A+B+C+D+E+F')[0]?.command.compare).toEqual(['B', 'C', 'D', 'E']);
  });

  test('is of an address that a URL can carry as it is', () => {
    fc.assert(
      fc.property(items, (cards) => {
        const hash = hashOf(cards);
        expect(new URL(`http://localhost/${hash}`).hash).toBe(hash);
      }),
    );
  });
});
