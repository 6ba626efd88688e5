import { expect, test } from 'vitest';
import { currencyCodes } from '../../shared/marketdata/serve/convert.ts';
import { euroRates, ofRates as provenance, stubApi } from '../../test/client/stub-api.ts';
import { ApiFailure } from '../sdk/index.ts';
import { type Conversion, conversionTo, converted, currencies, sessionRates } from './currency.ts';
import { convertedSeries } from './series.ts';

const rateOf = (code: string) => conversionTo(code, euroRates(), provenance)?.rate;

test('a conversion from dollars goes through the rates of the euro', () => {
  expect(conversionTo('EUR', euroRates(), provenance)).toEqual({
    currency: 'EUR',
    rate: 0.8,
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

test('converted candles keep their times, and unknown volumes stay unknown', () => {
  const candle = { time: 7, open: 100, high: 110, low: 95, close: 105, volume: null };
  const conversion: Conversion = { currency: 'EUR', rate: 0.8, day: '2026-01-30', provenance };
  expect(convertedSeries([candle, { ...candle, volume: 10 }], conversion)).toEqual([
    { time: 7, open: 80, high: 88, low: 76, close: 84, volume: null },
    { time: 7, open: 80, high: 88, low: 76, close: 84, volume: 8 },
  ]);
  expect(convertedSeries([candle], undefined)).toEqual([candle]);
  expect(converted(null, conversion)).toBeNull();
});

test('the offered currencies are those that the service always knows, the dollar first', () => {
  const [first, ...others] = currencies;
  expect(first).toBe('usd');
  expect(['usd', ...others].map((code) => code.toUpperCase()).sort()).toEqual(currencyCodes(undefined));
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
