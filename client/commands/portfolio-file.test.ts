import { expect, test } from 'vitest';
import { isAmount, portfolioIn, portfolioText } from './portfolio-file.ts';

const file = {
  watchlist: ['btc-bitcoin'],
  holdings: [
    { id: 'btc-bitcoin', amount: '0.25', cost: '15000', currency: 'EUR' },
    { id: 'x', amount: '1' },
  ],
};

test('what is written is read again', () => {
  expect(portfolioIn(portfolioText(file))).toEqual(file);
});

test.each([
  ['{', 'The file is not JSON'],
  ['null', '"version" is not 1'],
  ['{"version":2}', '"version" is not 1'],
  ['{"version":1,"watchlist":"btc"}', '"watchlist" has to be a list'],
  ['{"version":1,"watchlist":[""]}', '"watchlist" has to be a list'],
  ['{"version":1,"holdings":{}}', '"holdings" has to be a list'],
  ['{"version":1,"holdings":[{"amount":"1"}]}', 'Holding 1 of the file has no "id"'],
  ['{"version":1,"holdings":[{"id":"x","amount":1}]}', 'Holding 1 of the file (x) needs an "amount"'],
  ['{"version":1,"holdings":[{"id":"x","amount":"-1"}]}', 'needs an "amount"'],
  ['{"version":1,"holdings":[{"id":"x","amount":"1","cost":"much"}]}', 'has a "cost" that is no amount'],
  ['{"version":1,"holdings":[{"id":"x","amount":"1","cost":"1","currency":"euro"}]}', 'has a "currency"'],
])('%s is refused with what is wrong', (text, problem) => {
  expect(() => portfolioIn(text)).toThrow(problem);
});

test.each(['0', '0.0', '1e5', '-1', '1,5', '', '.5', '1.', 'x', 1])('%j is no amount', (text) => {
  expect(isAmount(text)).toBe(false);
});
