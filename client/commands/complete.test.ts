import { describe, expect, test } from 'vitest';
import { entry, stubApi } from '../../test/client/stub-api.ts';
import { ApiFailure } from '../sdk/index.ts';
import { commonStart, complete } from './complete.ts';

const coins = [
  entry({ symbol: 'ETH', id: 'eth-ethereum', rank: 2 }),
  entry({ symbol: 'ETC', id: 'etc-ethereum-classic', rank: 40 }),
  entry({ symbol: 'ETH', id: 'eth-other', rank: 3000 }),
  entry({ symbol: 'ETHOLD', id: 'ethold', rank: 0 }),
  entry({ symbol: 'STETH', id: 'steth', rank: 8 }),
];
const { api } = stubApi({ search: ({ q }) => ({ query: q, count: coins.length, results: coins }) });

describe('complete', () => {
  test.each([
    ['c', ['cprice', 'coinsearch', 'cchart', 'chart', 'clear']],
    ['', ['cprice', 'coinsearch', 'cchart', 'help', 'clear']],
    ['cprice et', ['ETH', 'ETC']],
    ['cchart eth --line --l', ['--limit']],
    ['cchart eth --limit ', []],
    ['cchart eth --interval 3', ['30d', '365d']],
    ['cprice eth --currency C', expect.arrayContaining(['cad', 'czk', 'clp', 'cop'])],
    ['cprice eth --currency UA', ['uah']],
    ['cprice eth --currency xa', ['xaf', 'xag', 'xau']],
    ['help cc', ['cchart']],
    ['coinsearch eth', []],
  ])('%s|', async (line, candidates) => {
    expect(
      (
        await complete(line, api, {
          commands: { clear: { summary: '', options: {}, examples: [] } },
          options: {},
        })
      ).candidates,
    ).toEqual(candidates);
  });

  test('a service that does not answer completes nothing', async () => {
    const { api: broken } = stubApi({
      search: () => {
        throw new ApiFailure(undefined, 'connect ECONNREFUSED');
      },
    });
    expect((await complete('cprice et', broken)).candidates).toEqual([]);
  });
});

test.each([
  ['et', ['ETH', 'ETC'], 'ET'],
  ['e', ['ETH', 'eth-ethereum'], 'ETH'],
  ['et', ['ETH'], 'ETH'],
  ['et', [], 'et'],
])('%s completed by %j is %s', (word, candidates, start) => {
  expect(commonStart({ word, candidates })).toBe(start);
});
