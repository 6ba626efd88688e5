import { expect, test } from 'vitest';
import { type ListedCoin, recentCoins } from './recent.ts';

test('has the last six coins, each once, the newest first', () => {
  let kept: readonly ListedCoin[] = [];
  const recent = recentCoins({
    read: () => kept,
    write: (value) => {
      kept = value;
    },
  });
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'b']) {
    recent.add({ id, name: id, symbol: id, rank: 1 });
  }
  expect(recent.coins().map(({ id }) => id)).toEqual(['b', 'g', 'f', 'e', 'd', 'c']);
});
