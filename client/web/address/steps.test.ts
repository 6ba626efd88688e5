import { expect, test } from 'vitest';
import { requestsIn } from '../dashboard.ts';
import { isStep } from './steps.ts';

test.each([
  ['BTC', 'BTC,ETH', true],
  ['BTC,ETH', 'BTC', true],
  ['BTC', 'BTC:1y', true],
  ['BTC', 'BTC:btc', true],
  ['BTC,ETH', 'ETH,BTC', false],
  ['BTC', 'BTC:line', false],
  ['BTC', 'BTC+ETH', false],
  ['BTC', 'BTC:log', false],
  ['BTC', 'BTC', false],
])('from %s to %s: %s', (before, after, expected) => {
  expect(isStep(requestsIn(before), requestsIn(after))).toBe(expected);
});
