import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { intervals, maxCompared, quotes, rangeNames, ranges } from '../../commands/parse/table.ts';
import { type AddressChart, chartsIn, hashOf } from './address.ts';

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() !== '');
const range = fc.oneof(
  fc.constantFrom(...rangeNames).map((each) => ({ ...ranges[each] })),
  fc.record(
    {
      interval: fc.constantFrom(...intervals),
      limit: fc.integer({ min: 1, max: 366 }),
      start: fc.constantFrom('2026-01-01', '2026-01-01T12:00:00Z', 'a,b:c+d'),
      end: fc.constant('2026-02-01T00:00:00+01:00'),
      quote: fc.constantFrom(...quotes),
    },
    { requiredKeys: [] },
  ),
);
const charts: fc.Arbitrary<AddressChart[]> = fc.array(
  fc.record(
    {
      names: fc.array(name, { minLength: 1, maxLength: 1 + maxCompared }),
      style: fc.constantFrom('line', 'candles'),
      isLogarithmic: fc.constant(true),
      hasAverage: fc.constant(true),
      range,
    },
    { requiredKeys: ['names', 'range'] },
  ),
  { maxLength: 20 },
);

describe('the address of charts', () => {
  test.each<[string, AddressChart[]]>([
    ['', []],
    ['#BTC', [{ names: ['BTC'], range: {} }]],
    [
      '#BTC,ETH:line:1y',
      [
        { names: ['BTC'], range: {} },
        { names: ['ETH'], style: 'line', range: ranges['1y'] },
      ],
    ],
    ['#BTC+ETH+SOL:ma:3m', [{ names: ['BTC', 'ETH', 'SOL'], hasAverage: true, range: ranges['3m'] }]],
    [
      '#btc-bitcoin:candles:log:26x7d',
      [
        {
          names: ['btc-bitcoin'],
          style: 'candles',
          isLogarithmic: true,
          range: { interval: '7d', limit: 26 },
        },
      ],
    ],
    ['#ETH:x1h:btc', [{ names: ['ETH'], range: { interval: '1h', quote: 'btc' } }]],
    [
      '#BTC:from=2026-01-01:to=2026-02-01',
      [{ names: ['BTC'], range: { start: '2026-01-01', end: '2026-02-01' } }],
    ],
  ])('is %s for these charts, and is read as them', (hash, some) => {
    expect(hashOf(some)).toBe(hash);
    expect(chartsIn(hash)).toEqual({ charts: some, remarks: [] });
  });

  test('holds all that a chart can show, in a form that a URL carries unchanged', () => {
    fc.assert(
      fc.property(charts, (some) => {
        const hash = hashOf(some);
        expect(chartsIn(hash).charts).toEqual(some);
        expect(new URL(`http://localhost/${hash}`).hash).toBe(hash);
      }),
    );
  });

  test.each([
    '#:,+',
    '#BTC:nothing',
    '#BTC:0x1h',
    '#BTC:367x',
    '#BTC:from=%',
    '#%E0%A4%A',
    '#BTC:__proto__',
    `#${'A'.repeat(101)}`,
  ])('has no chart in %s', (hash) => {
    expect(chartsIn(hash).charts).toEqual([]);
    expect(chartsIn(hash).remarks[0]).toMatch(/ of this address could not be read\.$/);
  });

  test('reports how many cards it could not read or left out, and shows the others', () => {
    expect(chartsIn('#BTC,ETH:nothing,%')).toMatchObject({
      charts: { length: 1 },
      remarks: ['2 cards of this address could not be read.'],
    });
    expect(chartsIn(`#${'BTC,'.repeat(30)}`)).toMatchObject({
      charts: { length: 20 },
      remarks: ['An address shows at most 20 cards: 10 more were left out.'],
    });
    expect(chartsIn(`#BTC,${'A'.repeat(10_000)}`)).toEqual({
      charts: [],
      remarks: ['This address is too long for a dashboard.'],
    });
  });

  test('of any text throws nothing and has few compared coins', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const { names } of chartsIn(text).charts)
          expect(names.length).toBeLessThanOrEqual(1 + maxCompared);
      }),
    );
    expect(chartsIn('#A+B+C+D+E+F').charts[0]?.names).toEqual(['A', 'B', 'C', 'D', 'E']);
  });
});
