/** Faucets on a real chain and a real table, as many instances as a test likes, which may die at any step. */
import { randomBytes } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, vi } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { dynamoTable } from '../../shared/coordination/dynamo-table.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import type { Node } from '../../shared/evm/node.ts';
import { nodeAt } from '../../test/evm/node.ts';
import { type Faucet, type GrantData, grant } from './logic/faucet.ts';
import { faucets } from './networks.ts';

export const GRANT = faucets.local.amount;

export function newAddress(): Address {
  return privateKeyToAddress(`0x${randomBytes(32).toString('hex')}`);
}

export interface FaucetBench {
  readonly chain: LocalChain;
  readonly dynamoDb: LocalDynamoDb;
  /** The faucet's own. */
  readonly account: Address;
  readonly key: string;
  /** Another instance, with connections of its own. `step` is called before each thing it asks for. */
  instance(step?: () => void): Faucet;
  /** The nonce of the faucet's account: how many transfers were mined. */
  mined(): Promise<number>;
  close(): Promise<void>;
}

/** Gives a test file a chain and a bench on it before its first test; both end with the file. */
export function useBench(use: (opened: { chain: LocalChain; bench: FaucetBench }) => void): void {
  let opened: { chain: LocalChain; bench: FaucetBench } | undefined;
  beforeAll(async () => {
    const chain = await startLocalChain();
    opened = { chain, bench: await startBench(chain) };
    use(opened);
  });
  afterAll(async () => {
    await opened?.bench.close();
    await opened?.chain.close();
  });
}

async function startBench(chain: LocalChain): Promise<FaucetBench> {
  const dynamoDb = await startDynamoDb();
  const key = chain.environment[faucets.local.keySecret] as Hex; // as the domain's description asked for it
  const account = privateKeyToAddress(key);
  await createKeyedTable(dynamoDb, 'faucet-test');
  const open = () =>
    dynamoTable('faucet-test', {
      endpoint: dynamoDb.url,
      region: dynamoDb.environment.AWS_REGION,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      timeoutMs: 20_000,
    });
  return {
    chain,
    dynamoDb,
    account,
    key,
    instance: (step = () => {}) => ({
      node: steppingNode(nodeAt(chain.url), step),
      table: steppingTable(open(), step),
      key,
    }),
    mined: async () => Number(await chain.rpc('eth_getTransactionCount', [account, 'latest'])),
    close: () => dynamoDb.close(),
  };
}

function steppingTable(table: SharedTable, step: () => void): SharedTable {
  return {
    async get(key) {
      step();
      return table.get(key);
    },
    async update(key, change) {
      step();
      return table.update(key, change);
    },
  };
}

/** Every method of a node goes through its rpc. */
function steppingNode(node: Node, step: () => void): Node {
  const stepped =
    <Args extends unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      step();
      return method(...args);
    };
  return {
    ...node,
    rpc: stepped(node.rpc),
    quantity: stepped(node.quantity),
    estimateGas: stepped(node.estimateGas),
  };
}

let clients = 0;

/** A request of a client of its own unless told. */
export function ask(faucet: Faucet, address: Address, client = `client ${++clients}`): Promise<GrantData> {
  const request = { requestId: crypto.randomUUID(), network: 'local', address, client } as const;
  return grant(faucet, request, Date.now() + 20_000);
}

/** The balance of an address. */
export async function received(chain: LocalChain, address: Address): Promise<bigint> {
  return BigInt((await chain.rpc('eth_getBalance', [address, 'latest'])) as string); // as specified
}

export async function settled(bench: FaucetBench, transfers: number): Promise<void> {
  await vi.waitUntil(async () => (await bench.mined()) >= transfers, { timeout: 10_000, interval: 20 });
}
