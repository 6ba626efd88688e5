import { expect, test } from 'vitest';
import { isAmount, portfolioIn, portfolioText } from './portfolio-file.ts';

const file = {
  watchlist: ['btc-bitcoin'],
  holdings: [
    { id: 'btc-bitcoin', amount: '0.25', cost: '15000', currency: 'EUR' },
    { id: 'gift', amount: '1', cost: '0', currency: 'USD' },
    { id: 'x', amount: '1' },
  ],
};

test('an exported file is read unchanged', () => {
  expect(portfolioIn(portfolioText(file))).toEqual(file);
});

test.each([
  ['{', 'The file is not JSON'],
  ['null', '"version" is not 1'],
  ['{"version":2}', '"version" is not 1'],
  ['{"version":1,"watchlist":"btc"}', '"watchlist" must be a list, not "btc"'],
  ['{"version":1,"holdings":{}}', '"holdings" must be a list, not {}'],
  ['{"version":1,"holdings":[{"amount":"1"}]}', '"holdings[0].id" must be the id of a coin'],
  [
    '{"version":1,"holdings":[{"id":"x","amount":"1","cost":"much"}]}',
    '"holdings[0].cost" must be a decimal',
  ],
])('%s is refused with what is wrong', (text, problem) => {
  expect(() => portfolioIn(text)).toThrow(problem);
});

test.each(['0', '0.0', '1e5', '-1', '1,5', '', '.5', '1.', 'x', 1])('%j is no amount', (text) => {
  expect(isAmount(text)).toBe(false);
});
