import { expect, test } from 'vitest';
import { getJson, startForTest } from './provider.testing.ts';

interface Contract {
  readonly address: string;
  readonly id: string;
  readonly type: string;
  readonly active: boolean;
}

const dead = { id: 'x-dead', name: 'X', symbol: 'X', rank: 0, is_active: false, type: 'token' } as const;

test('lists platforms, and the contracts of each', async () => {
  const provider = await startForTest();
  const platforms = await getJson<string[]>(provider, '/contracts');
  expect(platforms).toContain('eth-ethereum');
  const ethereum = await getJson<Contract[]>(provider, '/contracts/eth-ethereum');
  expect(ethereum[0]).toEqual({
    address: expect.stringMatching(/^0x[\dA-Fa-f]{40}$/),
    id: expect.any(String),
    type: 'ERC20',
    active: true,
  });
  expect(ethereum.some(({ address }) => /[A-F]/.test(address))).toBe(true);
  expect(ethereum.some(({ address }) => address === address.toLowerCase())).toBe(true);
  const solana = await getJson<Contract[]>(provider, '/contracts/sol-solana');
  for (const { address } of solana) expect(address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{44}$/);
});

test('only tokens have contracts, some of them on several platforms, each its own address', async () => {
  const provider = await startForTest();
  const platforms = await getJson<string[]>(provider, '/contracts');
  const lists = await Promise.all(platforms.map((id) => getJson<Contract[]>(provider, `/contracts/${id}`)));
  const all = lists.flat();
  const coins = new Set(all.map(({ id }) => id));
  expect(coins.has('btc-bitcoin')).toBe(false);
  expect(all.length).toBeGreaterThan(coins.size);
  expect(new Set(all.map(({ address }) => address)).size).toBe(all.length);
});

test('says which contracts are of coins that are no longer active', async () => {
  const provider = await startForTest({
    coins: Array.from({ length: 20 }, (_, index) => ({ ...dead, id: `x-${index}` })),
  });
  const contracts = await getJson<Contract[]>(provider, '/contracts/eth-ethereum');
  expect(contracts.length).toBeGreaterThan(3);
  expect(contracts.every(({ active }) => !active)).toBe(true);
});

test('has no platform that is not listed', async () => {
  expect((await fetch(`${(await startForTest()).url}/contracts/no-platform`)).status).toBe(404);
});
