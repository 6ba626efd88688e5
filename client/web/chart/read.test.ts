import { expect, test } from 'vitest';
import { readAddress } from './dashboard.ts';

test('reads the cards of an address', () => {
  const { items, remarks } = readAddress('#BTC,ETH:line:1y');
  expect(items.map(({ command }) => [command.symbol, command.style])).toEqual([
    ['BTC', undefined],
    ['ETH', 'line'],
  ]);
  expect(remarks).toEqual([]);
});

test('says how many cards it could not read, and shows the others', () => {
  const { items, remarks } = readAddress('#BTC,ETH:nothing,%');
  expect(items).toHaveLength(1);
  expect(remarks).toEqual(['2 cards of this address could not be read.']);
});

test('has at most twenty cards', () => {
  const { items, remarks } = readAddress(`#${'BTC,'.repeat(30)}`);
  expect(items).toHaveLength(20);
  expect(remarks).toEqual(['An address shows at most 20 cards: 10 more were left out.']);
});

test.each(['', '#'])('%j has no card and nothing to say', (hash) => {
  expect(readAddress(hash)).toEqual({ items: [], remarks: [] });
});

test('does not read what no dashboard is as long as', () => {
  expect(readAddress(`#BTC,${'A'.repeat(10_000)}`)).toEqual({
    items: [],
    remarks: ['This address is too long for a dashboard.'],
  });
});
