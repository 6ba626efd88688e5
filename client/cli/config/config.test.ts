import { expect, test } from 'vitest';
import { configOf } from './config.ts';

test('settings are taken as they are, with fields of another version', () => {
  const config = {
    watchlist: ['btc-bitcoin', 'mobilecoin'],
    holdings: [{ id: 'btc-bitcoin', amount: '0.5', cost: '30000', currency: 'EUR', note: 'cold' }],
    currency: 'eur',
    url: 'https://prices.example/market',
    theme: { dark: true },
  };
  expect(configOf(config)).toEqual(config);
  expect(configOf({})).toEqual({});
});

test.each([
  [[], '"the file" must be an object, not []'],
  [null, '"the file" must be an object, not null'],
  [{ watchlist: 'btc' }, '"watchlist" must be a list, not "btc"'],
  [
    { watchlist: ['btc-bitcoin', 7] },
    '"watchlist[1]" must be the id of a coin, such as "btc-bitcoin", not 7',
  ],
  [{ watchlist: ['a,b'] }, '"watchlist[0]" must be the id of a coin, such as "btc-bitcoin", not "a,b"'],
  [{ watchlist: ['a', 'b', 'a'] }, '"watchlist" has "a" twice'],
  [
    { watchlist: Array.from({ length: 501 }, (_, at) => `c-${at}`) },
    '"watchlist" has 501 items; at most 500',
  ],
  [
    { holdings: [{ id: 'a' }] },
    '"holdings[0].amount" must be a decimal above 0 in quotes, such as "0.5", not nothing',
  ],
  [
    { holdings: [{ id: 'a', amount: 0.5 }] },
    '"holdings[0].amount" must be a decimal above 0 in quotes, such as "0.5", not 0.5',
  ],
  [
    { holdings: [{ id: 'a', amount: '0' }] },
    '"holdings[0].amount" must be a decimal above 0 in quotes, such as "0.5", not "0"',
  ],
  [
    { holdings: [{ id: 'a', amount: '1', cost: '-1' }] },
    '"holdings[0].cost" must be a decimal in quotes, such as "30000", not "-1"',
  ],
  [
    {
      holdings: [
        { id: 'a', amount: '1' },
        { id: 'a', amount: '2' },
      ],
    },
    '"holdings" has "a" twice',
  ],
  [{ currency: 'euro' }, '"currency" must be the three letters of a currency, such as "eur", not "euro"'],
  [{ url: 'javascript:1' }, '"url" must be an http:// or https:// address, not "javascript:1"'],
  [
    { apiKey: 'k' },
    '"apiKey": an API key is not kept in this file, which is exported and copied: set it in MARKETDATA_API_KEY',
  ],
])('%j is refused: %s', (value, message) => {
  expect(() => configOf(value)).toThrow(message);
});
