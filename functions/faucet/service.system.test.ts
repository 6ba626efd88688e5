import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../local/evm/anvil.ts';
import { callOne } from '../../local/evm/json-rpc.ts';
import { clientAddress, post } from '../../test/contract/post.ts';
import { type Answer, type Service, startService } from '../../test/contract/service.ts';
import { GRANT, newAddress } from './fixtures/faucet.testing.ts';

const CONTAINERS = 4;

let anvil: Anvil;
let service: Service;
let faucet: Address;

let before = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  const key = `0x${randomBytes(32).toString('hex')}` as const;
  faucet = privateKeyToAddress(key);
  await callOne(anvil.url, 'anvil_setBalance', [faucet, `0x${(10n ** 24n).toString(16)}`]);
  service = await startService({
    shared: true,
    containers: CONTAINERS,
    env: { LOCAL_RPC_URL: anvil.url, LOCAL_FAUCET_KEY: key, UPSTREAM_TIMEOUT_MS: '10000' },
  });
});
afterAll(async () => {
  await service.local.close();
  await anvil.close();
});
beforeEach(async () => {
  before = await transfers();
});

const request = (address: Address, from: string, headers: Record<string, string> = {}): Promise<Answer> =>
  post(`${service.local.url}/api/faucet/request`, { address, network: 'local' }, { from, headers });

const balance = async (address: Address) =>
  BigInt((await callOne(anvil.url, 'eth_getBalance', [address, 'latest'])) as string);
const transfers = async () =>
  Number(await callOne(anvil.url, 'eth_getTransactionCount', [faucet, 'pending']));

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

describe(`through ${CONTAINERS} containers`, { timeout: 60_000 }, () => {
  it('20 simultaneous requests for one address are one transfer', async () => {
    const address = newAddress();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => request(address, clientAddress(index + 1))),
    );

    expect(statuses(answers)).toEqual([200, ...Array(19).fill(429)]);
    await expect.poll(() => balance(address)).toBe(GRANT);
    expect(await transfers()).toBe(before + 1);
  });

  it('20 simultaneous requests for 20 addresses are 20 transfers, without a gap', async () => {
    const addresses = Array.from({ length: 20 }, newAddress);

    const answers = await Promise.all(
      addresses.map((address, index) => request(address, clientAddress(index + 1, 1))),
    );

    expect(statuses(answers)).toEqual(Array(20).fill(200));
    for (const address of addresses) await expect.poll(() => balance(address)).toBe(GRANT);
    expect(await transfers()).toBe(before + 20);
  });

  it('8 simultaneous requests with one key are one transfer and one response', async () => {
    const [address, client, headers] = [newAddress(), clientAddress(1, 2), { 'Idempotency-Key': 'a-key' }];

    const answers = await Promise.all(Array.from({ length: 8 }, () => request(address, client, headers)));
    const later = await request(address, client, headers);

    expect(statuses(answers)).toEqual(Array(8).fill(200));
    for (const { body } of answers) expect(body).toEqual(later.body);
    await expect.poll(() => balance(address)).toBe(GRANT);
    expect(await transfers()).toBe(before + 1);
  });
});
