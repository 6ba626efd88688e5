import { expect, test } from 'vitest';
import type { Coin } from '../../commands/coins.ts';
import { plainText, span } from '../../commands/format/text.ts';
import type { FailureReason, FailureResult } from '../../commands/result.ts';
import { hashOf, requestsIn } from '../dashboard.ts';
import { createLookup } from './lookup.ts';

const coins: readonly Coin[] = [
  { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', alternatives: 0, isActive: true },
  { id: 'eth-ethereum', name: 'Ethereum', symbol: 'ETH', alternatives: 0, isActive: true },
];

function failing(reason: FailureReason, text: string): FailureResult {
  return { kind: 'failure', reason, lines: [[span(text)]], isUnreachable: false };
}

/** A lookup by symbols, ids and names, with what it asked for. */
function lookup(other: (symbol: string) => FailureResult = (symbol) => failing('not-found', symbol)) {
  const asked: string[] = [];
  const made = createLookup((symbol) => {
    asked.push(symbol);
    const text = symbol.toLowerCase();
    const coin = coins.find(({ id, name, symbol: own }) =>
      [id, name, own].some((each) => each.toLowerCase() === text),
    );
    return Promise.resolve(coin ?? other(symbol));
  });
  return { ...made, asked };
}

test('asks for each coin once, and calls it by what finds it again', async () => {
  const { all, asked } = lookup();
  const { requests, failures } = await all(requestsIn('btc+ETH:line,BTC:1y,bitcoin'));
  expect(hashOf(requests)).toBe('#BTC+ETH:line,BTC:1y,btc-bitcoin');
  expect(failures).toEqual([]);
  expect(asked).toEqual(['btc', 'ETH', 'bitcoin']);
});

test('has cards that show the same once, and compares no coin with itself', async () => {
  const { all } = lookup();
  const { requests } = await all(requestsIn('BTC,btc-bitcoin,ETH+ETH+BTC+btc-bitcoin'));
  expect(hashOf(requests)).toBe('#BTC,ETH+BTC');
});

test('leaves out what is not found, and says each', async () => {
  const { all } = lookup();
  const { requests, failures } = await all(requestsIn('ONE,BTC+TWO,ETH'));
  expect(hashOf(requests)).toBe('#BTC,ETH');
  expect(failures.map(({ lines }) => plainText(lines))).toEqual(['ONE', 'TWO']);
});

test('asks no more after a failure that is not the coin’s', async () => {
  const { all, asked } = lookup((symbol) => failing('rate-limited', symbol));
  const { requests, failures } = await all(requestsIn('BTC,A,B,C,D,E,F'));
  expect(hashOf(requests)).toBe('#BTC');
  expect(failures.map(({ reason }) => reason)).toEqual(['rate-limited']);
  expect(asked).toHaveLength(4);
});

test('asks for nothing that cards have already', async () => {
  const first = lookup();
  const { requests } = await first.all(requestsIn('BTC+ETH'));
  const { know, known, all, asked } = lookup();
  know(requests);
  expect(hashOf(known(requestsIn('ETH,SOL,BTC')))).toBe('#ETH,BTC');
  await all(requestsIn('eth-ethereum,btc'));
  expect(asked).toEqual([]);
});
