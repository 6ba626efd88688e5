import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Decimal, decimalOf, dividedBy, minus, plus, textOf, times } from './holdings.ts';

const decimals = fc
  .record({ units: fc.bigInt({ min: 0n, max: 10n ** 24n }), scale: fc.integer({ min: 0, max: 12 }) })
  .map(textOf)
  .map(read);

function read(text: string): Decimal {
  const decimal = decimalOf(text);
  if (!decimal) throw new Error(`${text} is no decimal`);
  return decimal;
}

test.each([
  ['0.5', '0.5'],
  ['0.50', '0.5'],
  ['100', '100'],
  ['007', '7'],
  ['0', '0'],
  ['0.000000000000000001', '0.000000000000000001'],
  ['123456789012345678901234567890.1', '123456789012345678901234567890.1'],
])('%s is written as %s', (text, written) => {
  expect(textOf(read(text))).toBe(written);
});

test.each(['', '.', '.5', '5.', '-1', '+1', '1e3', '1,5', ' 1', 'NaN', '١', '1'.repeat(101)])(
  '"%s" is no decimal',
  (text) => {
    expect(decimalOf(text)).toBeUndefined();
  },
);

test('a tenth and a fifth are three tenths', () => {
  expect(textOf(plus(read('0.1'), read('0.2')))).toBe('0.3');
});

test('what is added and taken away again leaves no trace', () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      expect(minus(plus(a, b), b)).toEqual(a);
    }),
  );
});

test('products are exact, in any order and grouping', () => {
  fc.assert(
    fc.property(decimals, decimals, decimals, (a, b, c) => {
      expect(times(a, b)).toEqual(times(b, a));
      expect(times(a, plus(b, c))).toEqual(plus(times(a, b), times(a, c)));
    }),
  );
});

test('a quotient is right to half of the eighteenth decimal', () => {
  fc.assert(
    fc.property(
      decimals,
      decimals.filter(({ units }) => units > 0n),
      (a, b) => {
        const off = minus(times(dividedBy(a, b), b), a);
        const most = times(b, { units: 5n, scale: 19 });
        const size = { ...off, units: off.units < 0n ? -off.units : off.units };
        expect(minus(size, most).units <= 0n).toBe(true);
      },
    ),
  );
});

test('a text of a negative decimal keeps its zeros', () => {
  expect(textOf({ units: -5n, scale: 2 })).toBe('-0.05');
});
