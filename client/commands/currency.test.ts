import { describe, expect, test } from 'vitest';
import { currencyCodes } from '../../shared/marketdata/currencies.ts';
import { euroRates, ofRates as provenance, stubApi } from '../../test/client/stub-api.ts';
import { ApiFailure } from '../sdk/index.ts';
import {
  type Conversion,
  conversionTo,
  converted,
  currencies,
  currencyName,
  currencyUnit,
  sessionRates,
  usualCurrencies,
} from './currency.ts';

const rateOf = (code: string) => conversionTo(code, euroRates(), provenance)?.rate;

test('a conversion from dollars goes through the rates of the euro', () => {
  expect(conversionTo('EUR', euroRates(), provenance)).toEqual({
    currency: 'EUR',
    rate: 0.8,
    digits: 5,
    day: '2026-01-30',
    provenance,
  });
  expect(rateOf('JPY')).toBe(144);
});

test('a missing, zero or invalid rate gives no conversion', () => {
  expect(rateOf('XXX')).toBeUndefined();
  for (const JPY of ['0', '-1', 'n/a'])
    expect(conversionTo('JPY', euroRates({ rates: { USD: '1.25', JPY } }), provenance)).toBeUndefined();
});

test('an amount is converted, and an unknown one stays unknown', () => {
  const conversion: Conversion = { currency: 'EUR', rate: 0.8, digits: 17, day: '2026-01-30', provenance };
  expect(converted(100, conversion)).toBe(80);
  expect(converted(null, conversion)).toBeNull();
  expect(converted(100, undefined)).toBe(100);
});

describe('of rates from two sources', () => {
  const both = { ...provenance, sources: ['ecb', 'frankfurter'] };
  const rates = { JPY: '180.00', UAH: '51.30', USD: '1.2500', XAU: '0.00030' };
  const twice = euroRates({ rates, days: { UAH: '2026-01-29' } });
  const sources = { UAH: 'frankfurter', XAU: 'frankfurter' };

  test.each([
    ['UAH', '2026-01-29', ['frankfurter', 'ecb']],
    ['XAU', '2026-01-30', ['frankfurter', 'ecb']],
    ['JPY', '2026-01-30', ['ecb']],
    ['EUR', '2026-01-30', ['ecb']],
  ])(
    'a conversion to %s has the day and the sources of its own rate and the dollar’s',
    (code, day, names) => {
      const expected = { day, provenance: { ...both, sources: names } };
      expect(conversionTo(code, { ...twice, sources }, both)).toMatchObject(expected);
      const all = { ...sources, JPY: 'ecb', USD: 'ecb' };
      expect(conversionTo(code, { ...twice, sources: all }, both)).toMatchObject(expected);
    },
  );

  test('an older rate of the dollar is told by its day', () => {
    const days = { USD: '2026-01-28', UAH: '2026-01-29' };
    expect(conversionTo('EUR', { ...twice, days }, both)?.day).toBe('2026-01-28');
    expect(conversionTo('UAH', { ...twice, days }, both)?.day).toBe('2026-01-28');
  });

  test('a simulated source is no name', () => {
    const simulated = conversionTo('UAH', { ...twice, sources: { UAH: 'simulated' } }, both);
    expect(simulated?.provenance.sources).toEqual(['ecb', 'frankfurter']);
  });
});

test('the offered currencies are all that the service knows, the usual ones first, each with a name', () => {
  expect(currencies[0]).toBe('usd');
  expect(currencies.slice(0, usualCurrencies.length)).toEqual(usualCurrencies);
  expect(currencies.map((code) => code.toUpperCase()).sort()).toEqual(currencyCodes);
  expect(currencyCodes.filter((code) => !currencyName(code))).toEqual([]);
});

test('a metal is counted in troy ounces', () => {
  expect(currencyName('XAU')).toBe('Gold (troy ounce)');
  expect(currencyUnit('XAG')).toBe('XAG (troy ounces of silver)');
  expect(currencyUnit('UAH')).toBe('UAH');
});

const MINUTE_MS = 60_000;

/** Rates with a clock that a test moves. */
function session(headers: Readonly<Record<string, string>> = {}) {
  const clock = { now: Date.UTC(2026, 0, 31, 12), isDown: false };
  const rates = () => {
    if (clock.isDown) throw new ApiFailure(503, 'No exchange rates are available');
    return euroRates();
  };
  const { api, calls } = stubApi({ rates }, headers);
  return { clock, calls, ask: sessionRates(api, () => clock.now) };
}

test('concurrent callers share one fetch of the rates', async () => {
  const { ask, calls } = session();
  const [first, second] = await Promise.all([ask(), ask()]);
  expect(first).toBe(second);
  expect(await ask()).toBe(first);
  expect(calls).toEqual(['rates undefined']);
});

test.each([
  ['for ten minutes', {}, 10],
  ['for as long as the answer says', { 'cache-control': 'public, max-age=120, must-revalidate' }, 2],
  ['for what a cache has left of that', { 'cache-control': 'public, max-age=600', age: '540' }, 1],
])('rates are kept %s', async (_how, headers, minutes) => {
  const { ask, calls, clock } = session(headers);
  await ask();
  clock.now += minutes * MINUTE_MS - 1;
  await ask();
  expect(calls.length).toBe(1);
  clock.now += 1;
  await ask();
  expect(calls.length).toBe(2);
});

test('a failed fetch of rates is repeated', async () => {
  const { ask, calls, clock } = session();
  clock.isDown = true;
  await expect(ask()).rejects.toThrow('No exchange rates');
  clock.isDown = false;
  expect((await ask()).data).toEqual(euroRates());
  expect(calls.length).toBe(2);
});
