/** Faucets on a real chain and a real table, as many instances as a test likes, which may die at any step. */
import { randomBytes } from 'node:crypto';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, vi } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { dynamoTable } from '../../shared/coordination/dynamo-table.ts';
import { numberIn, type SharedTable } from '../../shared/coordination/table.ts';
import { toQuantity } from '../../shared/evm/amount.ts';
import type { Node } from '../../shared/evm/node.ts';
import type { Rpc } from '../../shared/evm/rpc.ts';
import { nodeAt } from '../../test/evm/node.ts';
import { type Faucet, type GrantData, grant } from './logic/faucet.ts';
import { findGrant } from './logic/grants.ts';
import { createSigner } from './logic/signer.ts';
import { statusOf } from './logic/status.ts';
import { faucets } from './networks.ts';

export const GRANT = faucets.local.amount;

export function newAddress(): Address {
  return privateKeyToAddress(`0x${randomBytes(32).toString('hex')}`);
}

/** `what` is a method of the node, or the kind of the row. */
type Step = (what: string) => void;

export interface FaucetBench {
  readonly chain: LocalChain;
  readonly dynamoDb: LocalDynamoDb;
  /** The faucet's own. */
  readonly account: Address;
  readonly key: string;
  /** Another instance, with connections of its own. `step` is called before each thing it asks for, with its name. */
  instance(step?: Step): Faucet;
  readonly ledgerKey: string;
  /** Ends the lease of whoever has it, as time would. */
  endLease(): Promise<void>;
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
  const table = open();
  const ledgerKey = `faucet#ledger#local#${account.toLowerCase()}`;
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
    ledgerKey,
    async endLease() {
      await table.update(ledgerKey, { update: 'SET #until = :zero', values: { ':zero': 0 } });
    },
    mined: async () => Number(await chain.rpc('eth_getTransactionCount', [account, 'latest'])),
    close: () => dynamoDb.close(),
  };
}

function steppingTable(table: SharedTable, step: Step): SharedTable {
  const kindOf = (key: string) => key.split('#')[1] ?? key;
  return {
    async get(key) {
      step(kindOf(key));
      return table.get(key);
    },
    async update(key, change) {
      step(kindOf(key));
      return table.update(key, change);
    },
  };
}

/** Every method of a node goes through its rpc. */
function steppingNode(node: Node, step: Step): Node {
  return {
    ...node,
    async rpc(method, ...rest) {
      step(method);
      return node.rpc(method, ...rest);
    },
    async quantity(method, ...rest) {
      step(method);
      return node.quantity(method, ...rest);
    },
    async blockNumber(deadline) {
      step('eth_blockNumber');
      return node.blockNumber(deadline);
    },
    async estimateGas(...args) {
      step('eth_estimateGas');
      return node.estimateGas(...args);
    },
  };
}

let clients = 0;

/** A request of a client of its own unless told. */
export function ask(faucet: Faucet, address: Address, client = `client ${++clients}`): Promise<GrantData> {
  const request = { requestId: crypto.randomUUID(), network: 'local', address, client } as const;
  return grant(faucet, request, Date.now() + 20_000);
}

/** What has become of a grant, as the status route tells it. */
export async function tell(faucet: Faucet, requestId: string) {
  const { node, table, key } = faucet;
  const record = await findGrant(table, requestId);
  if (!record) throw new Error('the grant has no record');
  const signer = async () => createSigner(node.chain, key, faucets.local.keySecret);
  return statusOf({ node, table, signer }, record, Date.now() + 15_000);
}

const DAY_MS = 86_400_000;
const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** The row of what goes out in a day, which counts gwei. */
export const dayKey = (time: number): string => `faucet#day#local#${dayOf(time)}`;

/** The row of what a client, told by its pseudonym, has had in a day. */
export const clientKey = (client: string, time: number): string =>
  `faucet#client#local#${dayOf(time)}#${client}`;

/** The row of an address's claim. */
export const addressKey = (address: Address): string => `faucet#address#local#${address.toLowerCase()}`;

export async function countOf(bench: FaucetBench, key: string): Promise<number> {
  return numberIn(await bench.instance().table.get(key), 'count') ?? 0;
}

export async function setCount(bench: FaucetBench, key: string, count: number): Promise<void> {
  await bench.instance().table.update(key, { update: 'SET #count = :count', values: { ':count': count } });
}

/** Blocks by hand, at a base fee that stays until it is changed. */
export interface Blocks {
  /** Of the next block, and of all that follow. */
  setBaseFee(gwei: number): Promise<void>;
  mine(blocks?: number): Promise<void>;
  /** Back to a block for each transaction. */
  end(): Promise<void>;
}

export async function blocksByHand(chain: LocalChain): Promise<Blocks> {
  let baseFee = '0x0';
  const hold = () => chain.rpc('anvil_setNextBlockBaseFeePerGas', [baseFee]);
  // The block of what a test before this one sent would come in between.
  await vi.waitUntil(async () => (await pendingOf(chain)) === 0, { timeout: 15_000, interval: 20 });
  await chain.rpc('evm_setAutomine', [false]);
  const blocks: Blocks = {
    async setBaseFee(gwei) {
      baseFee = `0x${(BigInt(gwei) * 10n ** 9n).toString(16)}`;
      await hold();
    },
    async mine(count = 1) {
      for (let block = 0; block < count; block += 1) {
        await chain.rpc('evm_mine');
        await hold();
      }
    },
    async end() {
      await blocks.setBaseFee(1);
      await blocks.mine();
      await chain.rpc('evm_setAutomine', [true]);
    },
  };
  await blocks.setBaseFee(1);
  await blocks.mine();
  return blocks;
}

async function pendingOf(chain: LocalChain): Promise<number> {
  const { pending } = (await chain.rpc('txpool_status')) as { readonly pending: string }; // anvil's own
  return Number(pending);
}

/** A faucet whose node gets nothing that it sends, and is told so if there is an error. */
export function deaf(faucet: Faucet, error?: Error): Faucet {
  const rpc: Rpc = async (method, ...rest) => {
    if (method !== 'eth_sendRawTransaction') return faucet.node.rpc(method, ...rest);
    if (error) throw error;
    return '0x';
  };
  return { ...faucet, node: { ...faucet.node, rpc } };
}

/** The balance of an address. */
export async function received(chain: LocalChain, address: Address): Promise<bigint> {
  return BigInt((await chain.rpc('eth_getBalance', [address, 'latest'])) as string); // as specified
}

/** Waits until so many transfers are mined, and the newest of them can be asked for: anvil counts it a moment earlier. */
export async function settled(bench: FaucetBench, transfers: number): Promise<void> {
  const isSettled = async () =>
    (await bench.mined()) >= transfers && (await hasReceipt(bench, transfers - 1));
  await vi.waitUntil(isSettled, { timeout: 15_000, interval: 20 });
}

async function hasReceipt({ chain, account }: FaucetBench, nonce: number): Promise<boolean> {
  const sent = await chain.rpc('eth_getTransactionBySenderAndNonce', [account, toQuantity(BigInt(nonce))]);
  const { hash } = (sent ?? {}) as { readonly hash?: string };
  return hash !== undefined && (await chain.rpc('eth_getTransactionReceipt', [hash])) !== null;
}
