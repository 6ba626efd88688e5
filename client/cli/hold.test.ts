import Big from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Holding } from '../commands/portfolio-file.ts';
import { averageCost, changedHolding, expressionOf } from './hold.ts';

/** The holding of a coin after commands, each as it is typed. */
function after(...typed: readonly string[]): Holding | undefined {
  return typed.reduce<Holding | undefined>((holding, text) => {
    const { currency, words } = /--currency/.test(text)
      ? { currency: text.slice(-3), words: text.replace(/ --currency.*/, '') }
      : { currency: 'usd', words: text };
    return changedHolding('btc-bitcoin', holding, expressionOf(['BTC', ...words.split(' ')]), currency);
  }, undefined);
}

const btc = { id: 'btc-bitcoin', currency: 'usd' };

test.each(['0.5 @ 60000', '0.5@60000', '.5@ 60000.00'])('%s is half a coin for 30000', (typed) => {
  expect(after(typed)).toEqual({ ...btc, amount: '0.5', cost: '30000' });
});

test('buying more at another price averages the cost by weight', () => {
  const holding = after('0.5 @ 60000', '+0.1 @ 65000');
  expect(holding).toEqual({ ...btc, amount: '0.6', cost: '36500' });
  expect(holding && averageCost(holding)).toBe('60833.333333333333333333');
});

test('an amount without a sign replaces the holding and its cost', () => {
  expect(after('0.5 @ 60000', '2')).toEqual({ id: 'btc-bitcoin', amount: '2' });
});

test('selling a part keeps the average cost', () => {
  expect(after('0.6 @ 50000', '-0.2')).toEqual({ ...btc, amount: '0.4', cost: '20000' });
});

test.each([['0.5 @ 60000', '0'], ['0.5', '-0.5'], ['0']])('after %s and %s nothing is held', (...typed) => {
  expect(after(...typed.filter((text) => text !== undefined))).toBeUndefined();
});

test.each([
  [['1 @ 10', '+1'], 'Add its price, as in +1 @ 65000; @ 0 for a gift'],
  [['1', '+1 @ 10'], 'Your btc-bitcoin has no cost yet: set the whole amount at its average price'],
  [['1 @ 10', '+1 @ 10 --currency eur'], 'The cost of btc-bitcoin is in USD, not in EUR: add --currency USD'],
  [['1', '-1.5'], 'You have 1 of btc-bitcoin, not 1.5'],
  [['-1 @ 5'], 'The rest keeps its average cost: leave out the price'],
  [['+0'], 'An amount of 0 changes nothing'],
  [
    ['1,5'],
    '"1,5" is not a decimal (a point before the decimals, no commas). For example: marketdata hold BTC 0.5 @ 60000',
  ],
  [['1 @'], '"" is not a decimal. For example: marketdata hold BTC 0.5 @ 60000'],
  [[''], 'How many BTC? For example: marketdata hold BTC 0.5 @ 60000'],
])('%j is refused: %s', (typed, message) => {
  expect(() => after(...typed)).toThrow(message);
});

/** Amounts in hundred-millionths. */
const units = fc.bigInt({ min: 1n, max: 10n ** 15n });
const decimal = (value: bigint, scale = 8) => new Big(String(value)).times(`1e-${scale}`).toFixed();

test('however many purchases there are, amount and cost are their exact sums', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(units, units), { minLength: 1, maxLength: 8 }), (bought) => {
      const holding = after(...bought.map(([amount, price]) => `+${decimal(amount)} @ ${decimal(price)}`));
      const amount = bought.reduce((sum, [each]) => sum + each, 0n);
      const cost = bought.reduce((sum, [each, price]) => sum + each * price, 0n);
      expect(holding).toEqual({ ...btc, amount: decimal(amount), cost: decimal(cost, 16) });
    }),
  );
});

test('an amount that is bought and sold in parts leaves nothing, to the last digit', () => {
  fc.assert(
    fc.property(units, units, units, (first, second, price) => {
      const bought = `${decimal(first + second)} @ ${decimal(price)}`;
      expect(after(bought, `-${decimal(first)}`, `-${decimal(second)}`)).toBeUndefined();
      expect(after(bought, `-${decimal(first)}`)?.amount).toBe(decimal(second));
    }),
  );
});
