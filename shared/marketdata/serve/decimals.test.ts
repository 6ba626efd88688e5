import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, decimalText, percentNumber, percentOf, quotient, sum } from './decimals.ts';

const DIGITS = 34;

/** The quotient `a / b` by whole numbers alone, to 34 significant digits, half to even. */
function expected(a: bigint, b: bigint): string {
  let places = -200;
  // The quotient times 10^places, of which 34 digits are before the point.
  const scaled = () => (places < 0 ? [a, b * 10n ** BigInt(-places)] : [a * 10n ** BigInt(places), b]);
  const whole = () => {
    const [top = 0n, bottom = 1n] = scaled();
    return top / bottom;
  };
  while (whole() < 10n ** BigInt(DIGITS - 1)) places++;
  const [top = 0n, bottom = 1n] = scaled();
  const [floor, rest] = [top / bottom, (top % bottom) * 2n];
  const isUp = rest > bottom || (rest === bottom && floor % 2n === 1n);
  return decimalText(decimal(`${floor + (isUp ? 1n : 0n)}e${-places}`));
}

const whole = fc.bigInt({ min: 1n, max: 10n ** 90n });

describe('a quotient', () => {
  it('has 34 significant digits, rounded once', () => {
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(decimalText(quotient(decimal(`${a}`), decimal(`${b}`)))).toBe(expected(a, b));
      }),
    );
  });

  it.each([
    ['10000000000000000000000000000000005', '10000000000000000000000000000000000'],
    ['10000000000000000000000000000000015', '10000000000000000000000000000000020'],
    ['10000000000000000000000000000000005.000000001', '10000000000000000000000000000000010'],
    ['99999999999999999999999999999999995', '100000000000000000000000000000000000'],
  ])('of %s and 1 is %s', (a, rounded) => {
    expect(decimalText(quotient(decimal(a), decimal(1)))).toBe(rounded);
  });

  it('is right from the smallest number to the largest', () => {
    const [least, most] = [decimal(Number.MIN_VALUE), decimal(Number.MAX_VALUE)];
    const ratio = decimalText(quotient(least, most));
    expect(ratio).toMatch(/^0\.0{631}27\d+$/);
    expect(decimalText(quotient(decimal(0), most))).toBe('0');
    expect(() => quotient(most, decimal(0))).toThrow();
  });
});

describe('a number', () => {
  it('is its shortest text', () => {
    expect(decimalText(decimal(1e-12))).toBe('0.000000000001');
    expect(decimalText(decimal(0.1))).toBe('0.1');
    expect(decimalText(decimal(1e21))).toBe('1000000000000000000000');
    expect(() => decimal(Number.NaN)).toThrow();
  });
});

describe('a sum', () => {
  it('is rounded once, and nothing is 0', () => {
    const tiny = Array.from({ length: 10 }, () => decimal('0.000000000000000000000000000000001'));
    expect(decimalText(sum([decimal(1_000), ...tiny]))).toBe('1000');
    expect(decimalText(sum([decimal(10), ...tiny]))).toBe('10.00000000000000000000000000000001');
    expect(decimalText(sum([]))).toBe('0');
    expect(decimalText(sum([decimal(1), decimal(-1)]))).toBe('0');
  });
});

describe('a percentage', () => {
  it('has four decimals, and is null for a whole of 0 and where JSON would use an exponent', () => {
    expect(percentOf(decimal(1), decimal(3))).toBe(33.3333);
    expect(percentOf(decimal(1), decimal('1e30'))).toBe(0);
    expect(percentOf(decimal(1), decimal(0))).toBeNull();
    expect(percentOf(decimal('1e30'), decimal(1))).toBeNull();
    expect(percentNumber(decimal(-1e15))).toBe(-1e15);
    expect(JSON.stringify(percentNumber(decimal('0.00005')))).toBe('0');
    expect(JSON.stringify(percentNumber(decimal('0.00006')))).toBe('0.0001');
    expect(Object.is(percentNumber(decimal('-0.00001')), 0)).toBe(true);
  });
});
