import { describe, expect, test } from 'vitest';
import { entry, resolved, stubApi } from '../../test/client/stub-api.ts';
import { ApiFailure } from '../sdk/index.ts';
import { findCoin, similarCoins } from './coins.ts';

describe('a coin', () => {
  test('takes one request to be found, by whatever it is named', async () => {
    const { api, calls } = stubApi({ resolve: () => resolved({ foundBy: 'name', alternatives: 2 }) });
    expect(await findCoin(api, 'bitcoin')).toMatchObject({
      id: 'btc-bitcoin',
      foundBy: 'name',
      isActive: true,
    });
    expect(calls).toEqual(['resolve {"symbol":"bitcoin"}']);
  });

  test.each([
    [true, 3],
    [false, 0],
  ])('has other coins to mention if it is ambiguous (%s)', async (isAmbiguous, alternatives) => {
    const { api } = stubApi({ resolve: () => resolved({ alternatives: 3, isAmbiguous }) });
    expect(await findCoin(api, 'BTC')).toMatchObject({ alternatives });
  });

  test('is none if the service knows none, and if a URL cannot carry what was typed', async () => {
    const { api, calls } = stubApi({});
    expect(await findCoin(api, 'NOSUCH')).toBeUndefined();
    expect(await findCoin(api, '..')).toBeUndefined();
    expect(calls).toHaveLength(1);
  });

  test('is not said to be unknown if the service fails', async () => {
    const { api } = stubApi({
      resolve: () => {
        throw new ApiFailure(404, 'no such route', { isAnswer: false });
      },
    });
    await expect(findCoin(api, 'BTC')).rejects.toThrow('no such route');
  });
});

describe('similar coins', () => {
  const hedera = entry({ id: 'hbar-hedera-hashgraph', symbol: 'HBAR', name: 'Hedera Hashgraph', rank: 21 });
  const weth = entry({ id: 'eth-ethereum-token', symbol: 'WETH', name: 'WETH (BSC)', rank: 53 });
  const inactive = entry({ id: 'old', is_active: false });
  const { api } = stubApi({
    search: ({ q }) => ({ query: q, count: 3, results: [hedera, weth, inactive, entry({ rank: 0 })] }),
    resolve: ({ symbol }) =>
      resolved({ id: symbol === 'HBAR' ? 'hbar-hedera-hashgraph' : 'weth-weth', symbol }),
  });

  test('are active and ranked, and are typed by their symbols unless those are another coin’s', async () => {
    expect(await similarCoins(api, 'text')).toEqual([
      { name: 'Hedera Hashgraph', typed: 'HBAR' },
      { name: 'WETH (BSC)', typed: 'eth-ethereum-token' },
    ]);
  });
});
