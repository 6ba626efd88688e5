import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Holding } from '../config/config.ts';
import {
  averageCost,
  changedHolding,
  decimalOf,
  expressionOf,
  minus,
  plus,
  textOf,
  times,
} from '../holdings.ts';

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

test.each(['0.5 @ 60000', '0.5@60000', '0.5 @60000', '.5@ 60000.00'])(
  '%s is half a coin for 30000',
  (typed) => {
    expect(after(typed)).toEqual({ ...btc, amount: '0.5', cost: '30000' });
  },
);

test('more at another price makes the average cost a weighted one', () => {
  const holding = after('0.5 @ 60000', '+0.1 @ 65000');
  expect(holding).toEqual({ ...btc, amount: '0.6', cost: '36500' });
  expect(holding && averageCost(holding)).toBe('60833.333333333333333333');
});

test('an amount without a sign replaces all that was held, its cost too', () => {
  expect(after('0.5 @ 60000', '2')).toEqual({ id: 'btc-bitcoin', amount: '2' });
});

test('what is taken away leaves the average cost', () => {
  expect(after('0.6 @ 50000', '-0.2')).toEqual({ ...btc, amount: '0.4', cost: '20000' });
});

test.each([['0.5 @ 60000', '0'], ['0.5', '-0.5'], ['0']])('%s, then %s holds nothing', (...typed) => {
  expect(after(...typed.filter((text) => text !== undefined))).toBeUndefined();
});

test('unknown fields of a holding stay', () => {
  const former = { ...btc, amount: '1', cost: '10', note: 'in the drawer' };
  const next = changedHolding('btc-bitcoin', former, expressionOf(['BTC', '+1@10']), 'usd');
  expect(next).toEqual({ ...former, amount: '2', cost: '20' });
});

test.each([
  [['1 @ 10', '+1'], 'Say what it cost, as in +1 @ 65000; @ 0 for a gift'],
  [['1', '+1 @ 10'], 'What you have of btc-bitcoin has no cost yet: set all of it at its average price'],
  [['1 @ 10', '+1 @ 10 --currency eur'], 'The cost of btc-bitcoin is in USD, not in EUR: add --currency USD'],
  [['1', '-1.5'], 'You have 1 of btc-bitcoin, not 1.5'],
  [['-1'], 'You have 0 of btc-bitcoin, not 1'],
  [['-1 @ 5'], 'What is taken away keeps its average cost: leave out the price'],
  [['+0'], 'Nothing would change by 0'],
  [
    ['1,5'],
    '"1,5" is no decimal (a point before the decimals, no commas). For example: marketdata hold BTC 0.5 @ 60000',
  ],
  [['1 @'], '"" is no decimal. For example: marketdata hold BTC 0.5 @ 60000'],
  [['1e3'], '"1e3" is no decimal. For example: marketdata hold BTC 0.5 @ 60000'],
  [[''], 'How many BTC? For example: marketdata hold BTC 0.5 @ 60000'],
])('%j is refused: %s', (typed, message) => {
  expect(() => after(...typed)).toThrow(message);
});

const amounts = fc
  .record({ units: fc.bigInt({ min: 1n, max: 10n ** 15n }), scale: fc.integer({ min: 0, max: 8 }) })
  .map(textOf);

test('however many purchases there are, amount and cost are their exact sums', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(amounts, amounts), { minLength: 1, maxLength: 8 }), (bought) => {
      const holding = after(...bought.map(([amount, price]) => `+${amount} @ ${price}`));
      const zero = { units: 0n, scale: 0 };
      const read = (text: string) => decimalOf(text) ?? zero;
      const amount = bought.reduce((sum, [each]) => plus(sum, read(each)), zero);
      const cost = bought.reduce((sum, [each, price]) => plus(sum, times(read(each), read(price))), zero);
      expect(holding).toEqual({ ...btc, amount: textOf(amount), cost: textOf(cost) });
    }),
  );
});

test('what is bought and sold again in parts is gone at the end, to the last digit', () => {
  fc.assert(
    fc.property(amounts, amounts, amounts, (first, second, price) => {
      const read = (text: string) => decimalOf(text) ?? { units: 0n, scale: 0 };
      const all = textOf(plus(read(first), read(second)));
      expect(after(`${all} @ ${price}`, `-${first}`, `-${second}`)).toBeUndefined();
      expect(after(`${all} @ ${price}`, `-${first}`)?.amount).toBe(textOf(minus(read(all), read(first))));
    }),
  );
});
