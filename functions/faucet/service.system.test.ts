import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../local/evm/anvil.ts';
import { callOne } from '../../local/evm/json-rpc.ts';
import { clientAddress, post } from '../../test/contract/post.ts';
import { type Answer, type Service, startService } from '../../test/contract/service.ts';
import { GRANT, newAddress } from './fixtures/faucet.ts';

const CONTAINERS = 4;

let folder: string;
let anvil: Anvil;
/** Leads to the node of the moment, at a port that nobody else can take while there is none. */
let door: Server;
let service: Service;
let faucet: Address;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faucet-test-'));
  anvil = await startAnvil({ stateFile: join(folder, 'state.json') });
  const key = `0x${randomBytes(32).toString('hex')}` as const;
  faucet = privateKeyToAddress(key);
  await callOne(anvil.url, 'anvil_setBalance', [faucet, `0x${(10n ** 24n).toString(16)}`]);
  door = createServer((socket) => {
    const { port, hostname } = new URL(anvil.url);
    pipeline(socket, connect(Number(port), hostname), socket, () => {});
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo; // a TCP server's address is never a string
  const nodeUrl = `http://127.0.0.1:${port}`;
  service = await startService({
    shared: true,
    containers: CONTAINERS,
    env: { LOCAL_RPC_URL: nodeUrl, LOCAL_FAUCET_KEY: key, UPSTREAM_TIMEOUT_MS: '10000' },
  });
});
afterEach(async () => {
  await service.local.close();
  door.close();
  await anvil.close();
  await rm(folder, { recursive: true, force: true });
});

const request = (address: Address, client: string, headers: Record<string, string> = {}): Promise<Answer> =>
  post(`${service.local.url}/api/faucet/request`, { address, network: 'local' }, { from: client, headers });

const balance = async (address: Address) =>
  BigInt((await callOne(anvil.url, 'eth_getBalance', [address, 'latest'])) as string);
const mined = async () => Number(await callOne(anvil.url, 'eth_getTransactionCount', [faucet, 'latest']));
const known = async () => Number(await callOne(anvil.url, 'eth_getTransactionCount', [faucet, 'pending']));

function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe(`through ${CONTAINERS} containers`, { timeout: 60_000 }, () => {
  it('50 requests for one address at the same time are one transfer', async () => {
    const address = newAddress();

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => request(address, clientAddress(index + 1))),
    );

    expect(statuses(answers)).toEqual({ 200: 1, 429: 49 });
    await expect.poll(() => balance(address)).toBe(GRANT);
    expect(await known()).toBe(1);
  });

  it('50 requests for 50 addresses at the same time are 50 transfers, without a gap', async () => {
    const addresses = Array.from({ length: 50 }, newAddress);

    const answers = await Promise.all(
      addresses.map((address, index) => request(address, clientAddress(index + 1))),
    );

    expect(statuses(answers)).toEqual({ 200: 50 });
    await expect.poll(mined).toBe(50);
    for (const address of addresses) expect(await balance(address)).toBe(GRANT);
  });

  it('8 requests with one key at the same time are one transfer and one answer', async () => {
    const [address, client, headers] = [newAddress(), clientAddress(1), { 'Idempotency-Key': 'a-key' }];

    const answers = await Promise.all(Array.from({ length: 8 }, () => request(address, client, headers)));
    const later = await request(address, client, headers);

    const granted = answers.filter(({ status }) => status === 200);
    expect(later.status).toBe(200);
    for (const { body } of granted) expect(body).toEqual(later.body);
    // On a slow machine some had to give up waiting.
    expect(statuses(answers)).toEqual(
      granted.length === 8 ? { 200: 8 } : { 200: granted.length, 409: 8 - granted.length },
    );
    await expect.poll(() => balance(address)).toBe(GRANT);
    expect(await known()).toBe(1);
  });

  it('a node that dies in the middle costs nobody a second grant, and everybody gets an envelope', async () => {
    const addresses = Array.from({ length: 30 }, newAddress);
    let answered = 0;
    let restarted: Promise<void> | undefined;
    const dieInTheMiddle = () => {
      answered += 1;
      if (answered === 8) restarted = anvil.stop();
    };

    const first = await Promise.all(
      addresses.map(async (address, index) => {
        const answer = await request(address, clientAddress(index + 1));
        dieInTheMiddle();
        return answer;
      }),
    );
    await restarted;
    anvil = await startAnvil({ stateFile: join(folder, 'state.json') });
    const second = await Promise.all(
      addresses.map((address, index) => request(address, clientAddress(index + 1, 1))),
    );
    // One more grant sends whatever was committed while there was no node.
    expect(await request(newAddress(), clientAddress(200))).toMatchObject({ status: 200 });

    const granted = (answers: readonly Answer[]) => statuses(answers)[200] ?? 0;
    expect(granted(first)).toBeGreaterThanOrEqual(8);
    expect(statuses(first)).toMatchObject({ 502: expect.any(Number) });
    for (const { body } of first) expect(body).toMatchObject({ success: expect.any(Boolean) });
    expect(granted(first) + granted(second)).toBe(30);
    await expect.poll(mined).toBe(31);
    for (const address of addresses) expect(await balance(address)).toBe(GRANT);
  });
});
