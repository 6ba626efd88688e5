import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencies } from '../currency.ts';
import { axisDigits, formatAmount, formatMoney, formatPercent, formatPrice, movement } from './numbers.ts';

describe('formatPrice', () => {
  test.each([
    [1_234_567.891, '$1,234,568'],
    [999_999.6, '$1,000,000'],
    [67_123.456, '$67,123.46'],
    [9.99999, '$10.00'],
    [2.31456, '$2.3146'],
    [0.999999, '$1.00'],
    [0.99981, '$0.9998'],
    [0.012345, '$0.01235'],
    [0.00001234567, '$0.00001235'],
    [1e-12, '$0.000000000001'],
    [1.5e-15, '$1.500e-15'],
    [0, '$0.00'],
    [-3.5, '-$3.50'],
    [null, 'n/a'],
    [Number.NaN, 'n/a'],
  ])('%s is written %s', (price, text) => {
    expect(formatPrice(price)).toBe(text);
  });

  test('a price in bitcoin names its unit instead of a dollar sign', () => {
    expect(formatPrice(0.0523456, 'btc')).toBe('0.05235 BTC');
  });

  test.each([
    ['EUR', -67_123.456, '-€67,123.46'],
    ['jpy', 10_234_567.8, '¥10,234,568'],
    ['jpy', 999.96, '¥1,000'],
    ['jpy', 23.456, '¥23.46'],
    ['jpy', 0.002134, '¥0.002134'],
    ['jpy', 0, '¥0'],
    ['cny', 12.3, 'CN¥12.30'],
    ['chf', -12.3, '-CHF 12.30'],
    ['xts', 12.3, 'XTS 12.30'],
    ['uah', 2_812_345.6, 'UAH 2,812,346'],
    ['uah', 41.236, 'UAH 41.24'],
    ['twd', 32.5, 'NT$32.50'],
    ['kwd', 20_512.3456, 'KWD 20,512.346'],
    ['kwd', 3.07, 'KWD 3.070'],
    ['clp', 63_512_345.6, 'CLP 63,512,346'],
    ['clp', 950.25, 'CLP 950.25'],
    ['vnd', 1_750_000_000, '₫1,750,000,000'],
    ['xau', 25.3456, 'XAU 25.35'],
    ['xau', 0.000_237_4, 'XAU 0.0002374'],
    ['xcg', 12.3, 'Cg. 12.30'],
  ])('in %s, %s is written %s', (currency, price, text) => {
    expect(formatPrice(price, currency)).toBe(text);
  });

  test('no two currencies are written alike', () => {
    expect(new Set(currencies.map((code) => formatPrice(1, code))).size).toBe(currencies.length);
  });

  test('from 1e-12 to 1e6 it is never zero, and off by less than the digits it shows', () => {
    fc.assert(
      fc.property(fc.double({ min: -12, max: 6, noNaN: true }), (exponent) => {
        const price = 10 ** exponent;
        const shown = Number(formatPrice(price).replace(/[$,]/g, ''));
        expect(shown).toBeGreaterThan(0);
        expect(Math.abs(shown - price) / price).toBeLessThan(0.0006);
      }),
    );
  });
});

test.each([
  [[170_000, 165_000, 160_000], '170,000 165,000 160,000'],
  [[1.5, 1, 0.5], '1.5 1.0 0.5'],
  [[0.332, 0.3277, 0.3234], '0.3320 0.3277 0.3234'],
  [[2e-9, 1e-9], '0.000000002 0.000000001'],
  [[42], '42.00'],
  [[], ''],
])('the prices %j of an axis are written %s', (prices, texts) => {
  expect(axisDigits(prices).join(' ')).toBe(texts);
});

test.each([
  ['usd', 1234.5678, '$1,234.57'],
  ['usd', 0.012345, '$0.01235'],
  ['jpy', 23.456, '¥23.46'],
  ['kwd', 3.07049, 'KWD 3.070'],
  ['usd', null, 'n/a'],
])('a sum of money in %s of %s is written %s', (currency, value, text) => {
  expect(formatMoney(value, currency)).toBe(text);
});

describe('formatAmount', () => {
  test.each([
    [1_321_456_789_012, '$1.32T'],
    [1_234_567_890_123_456, '$1,234.57T'],
    [999_999_999_999, '$1.00T'],
    [28_420_000_000, '$28.42B'],
    [999_999, '$1.00M'],
    [999_990, '$999.99K'],
    [999.999, '$1.00K'],
    [0, '$0.00'],
    [0.0000123, '$0.0000123'],
    [-5_000, '-$5.00K'],
    [null, 'n/a'],
  ])('%s is written %s', (amount, text) => {
    expect(formatAmount(amount)).toBe(text);
  });
});

test.each([
  ['eur', 1_321_456_789_012, '€1.32T'],
  ['jpy', 12_340, '¥12.34K'],
  ['jpy', 123, '¥123'],
  ['chf', -5_000, '-CHF 5.00K'],
])('an amount in %s of %s is written %s', (currency, amount, text) => {
  expect(formatAmount(amount, currency)).toBe(text);
});

test.each([
  [2.314, '+2.31%'],
  [-0.001, '0.00%'],
  [-12_345.678, '-12,345.68%'],
  [null, 'n/a'],
])('a change of %s percent is written %s', (percent, text) => {
  expect(formatPercent(percent)).toBe(text);
});

describe('movement', () => {
  test.each([
    ['up', 100, 100.01],
    ['down', 0.01235, 0.01234],
    [undefined, 100, 100],
    [undefined, 67_123.456, 67_123.457],
    [undefined, undefined, 100],
    [undefined, null, 100],
    [undefined, 100, null],
  ])('is %s from %s to %s', (direction, from, to) => {
    expect(movement({ price: from }, { price: to })).toBe(direction);
  });

  test('is not known of the first price, and none between two currencies', () => {
    expect(movement(undefined, { price: 100 })).toBeUndefined();
    expect(movement({ price: 100 }, { price: 90, quote: 'EUR' })).toBeUndefined();
    expect(movement({ price: 100, quote: 'EUR' }, { price: 90, quote: 'EUR' })).toBe('down');
  });
});
