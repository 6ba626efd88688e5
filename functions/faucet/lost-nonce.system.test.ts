import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import type { Node } from '../../shared/evm/node.ts';
import { GWEI } from '../../shared/evm/values.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import { soon } from '../../test/evm/node.ts';
import {
  addressKey,
  ask,
  type Blocks,
  blocksByHand,
  clientKey,
  countOf,
  dayKey,
  deaf,
  type FaucetBench,
  GRANT,
  newAddress,
  received,
  tell,
  useBench,
} from './fixtures/faucet.ts';
import type { GrantData } from './logic/faucet.ts';
import { findGrant } from './logic/grants.ts';
import { isLost } from './logic/mined.ts';
import { faucets } from './networks.ts';

const { finalBlocks } = faucets.local;

let chain: LocalChain;
let bench: FaucetBench;
let blocks: Blocks;
useBench((opened) => {
  ({ chain, bench } = opened);
});
beforeEach(async () => {
  blocks = await blocksByHand(chain);
});
afterEach(async () => {
  vi.useRealTimers();
  await blocks.end();
});

/** Somebody else with the key takes the nonce of the next transfer. */
async function useKeyElsewhere(): Promise<void> {
  const nonce = await bench.mined();
  const account = privateKeyToAccount(bench.key as `0x${string}`); // the chain's own
  const signed = await account.signTransaction({
    ...{ type: 'eip1559', chainId: 31_337, to: newAddress(), value: 1n, nonce, gas: 21_000n },
    ...{ maxFeePerGas: 1_000n * GWEI, maxPriorityFeePerGas: 100n * GWEI },
  });
  await chain.rpc('eth_sendRawTransaction', [signed]);
}

let clients = 0;

/** A grant whose nonce another transaction has, so many blocks deep. */
async function lostGrant(address: Address, depth: number): Promise<GrantData> {
  clients += 1;
  const granted = await ask(deaf(bench.instance()), address, `loser ${clients}`);
  await useKeyElsewhere();
  await blocks.mine(depth);
  return granted;
}

/** What the grant's client and day have counted, in grants. */
async function counted({ requestId }: GrantData): Promise<{ client: number; day: number }> {
  const record = await findGrant(bench.instance().table, requestId);
  if (!record) throw new Error('the grant has no record');
  const gwei = await countOf(bench, dayKey(record.claimedAt));
  const client = await countOf(bench, clientKey(record.client, record.claimedAt));
  return { client, day: gwei / Number(GRANT / GWEI) };
}

describe('a grant whose nonce another transaction has', () => {
  it('is pending until that cannot be undone any more, and then failed, with its claim freed', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await lostGrant(address, finalBlocks - 1);
    const { day } = await counted(granted);
    takeMetrics('left over');

    const early = await tell(faucet, granted.requestId);
    await expect(ask(faucet, address)).rejects.toMatchObject({ statusCode: 429 });
    expect(await counted(granted)).toEqual({ client: 1, day });
    await blocks.mine();
    const late = await tell(faucet, granted.requestId);

    expect(early).toEqual({ ...granted, status: 'pending', confirmations: 0 });
    expect(late).toEqual({ ...granted, status: 'failed', confirmations: 0 });
    expect(await counted(granted)).toEqual({ client: 0, day: day - 1 });
    expect(JSON.parse(takeMetrics('test') ?? '{}')).toMatchObject({ FaucetNonceLost: 1 });
    await ask(faucet, address);
    await blocks.mine();
    expect(await received(chain, address)).toBe(GRANT);
  });

  it('rings when it is noticed, also after its claim has ended and was cleared away', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await lostGrant(address, finalBlocks);
    await faucet.table.update(addressKey(address), { update: 'REMOVE #request, #until' });
    takeMetrics('left over');

    expect(await tell(faucet, granted.requestId)).toMatchObject({ status: 'failed' });
    await tell(faucet, granted.requestId);

    expect(JSON.parse(takeMetrics('test') ?? '{}')).toMatchObject({ FaucetNonceLost: 1 });
  });

  it('gives back what it counted once, whoever notices and how often', async () => {
    const [address, next, faucet] = [newAddress(), newAddress(), bench.instance()];
    vi.useFakeTimers({ toFake: ['Date'] }); // all of it counts on one day
    const granted = await lostGrant(address, finalBlocks);
    const { day } = await counted(granted);

    const noticed = [1, 2, 3].map(() => tell(bench.instance(), granted.requestId));
    await Promise.all([...noticed, ask(faucet, next)]);
    await tell(faucet, granted.requestId);
    await ask(faucet, newAddress());

    expect(await counted(granted)).toEqual({ client: 0, day: day - 1 + 2 });
    // A later claim of the address is its own.
    const again = await ask(faucet, address);
    await tell(faucet, granted.requestId);
    await expect(ask(faucet, address)).rejects.toMatchObject({ statusCode: 429 });
    await blocks.mine();
    expect(await tell(faucet, again.requestId)).toMatchObject({ status: 'confirmed' });
    expect(await received(chain, address)).toBe(GRANT);
  });

  it('is noticed by the next grant, also if its instance died before it saved it', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const { update } = faucet.table;
    const table = {
      ...faucet.table,
      update: async (...[row, change]: Parameters<typeof update>) => {
        if (change.update.includes('#signed = :signed')) throw new Error('dead');
        return update(row, change);
      },
    };
    await expect(ask({ ...faucet, table }, address)).rejects.toThrow('dead');
    await chain.rpc('anvil_dropAllTransactions');
    await useKeyElsewhere();
    await blocks.mine(finalBlocks);

    await expect(ask(faucet, address)).rejects.toMatchObject({ statusCode: 429 });
    takeMetrics('left over');
    await ask(faucet, newAddress());
    expect(JSON.parse(takeMetrics('test') ?? '{}')).toMatchObject({ FaucetNonceLost: 1 });
    await ask(faucet, address);

    await blocks.mine();
    expect(await received(chain, address)).toBe(GRANT);
  });

  it('is paid after all, and keeps its claim, if a reorganisation takes the other one back', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await ask(deaf(faucet), address);
    const snapshot = await chain.rpc('evm_snapshot');
    await useKeyElsewhere();
    await blocks.mine(finalBlocks - 1);
    expect(await tell(faucet, granted.requestId)).toMatchObject({ status: 'pending' });
    await chain.rpc('evm_revert', [snapshot]);
    await blocks.setBaseFee(1);

    await tell(faucet, granted.requestId);
    await blocks.mine(finalBlocks);

    expect(await tell(faucet, granted.requestId)).toMatchObject({ status: 'confirmed', confirmations: 3 });
    await expect(ask(faucet, address)).rejects.toMatchObject({ statusCode: 429 });
    expect(await received(chain, address)).toBe(GRANT);
  });

  it('is given back in whole however often those die that do it', async () => {
    const granted = await lostGrant(newAddress(), finalBlocks);
    const { day } = await counted(granted);

    let told: unknown;
    for (let steps = 0; told === undefined; steps += 1) {
      let left = steps;
      const mortal = bench.instance(() => {
        left -= 1;
        if (left < 0) throw new Error('dead');
      });
      told = await tell(mortal, granted.requestId).catch(() => undefined);
    }

    expect(told).toMatchObject({ status: 'failed' });
    expect(await counted(granted)).toEqual({ client: 0, day: day - 1 });
  });
});

describe('a grant that was mined', () => {
  it('is not lost because one of two nodes lags behind and is asked for it', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const { requestId } = await ask(faucet, address);
    const behind = await chain.rpc('eth_blockNumber');
    await blocks.mine(finalBlocks);
    const { rpc, quantity } = faucet.node;
    let failed = false;
    const node: Node = {
      ...faucet.node,
      async rpc(method, ...rest) {
        if (method !== 'eth_getTransactionReceipt') return rpc(method, ...rest);
        failed = true; // the first node, from here on
        return null;
      },
      quantity: (method, params, deadline) =>
        quantity(
          method,
          failed ? params.map((each, index) => (index === 1 ? behind : each)) : params,
          deadline,
        ),
    };
    const record = await findGrant(faucet.table, requestId);
    if (!record) throw new Error('the grant has no record');

    expect(await isLost(node, faucet.table, 'local', record, soon())).toBe(false);
    // Nor does the next grant take its nonce.
    const next = newAddress();
    await ask({ ...faucet, node }, next);
    await expect(ask(faucet, address)).rejects.toMatchObject({ statusCode: 429 });
    await blocks.mine();
    for (const each of [address, next]) expect(await received(chain, each)).toBe(GRANT);
  });

  it('is at hand until it is deep, so that a node that lags behind gives its nonce to nobody', async () => {
    const [address, between, next, faucet] = [newAddress(), newAddress(), newAddress(), bench.instance()];
    const behind = await chain.rpc('eth_blockNumber');
    await ask(faucet, address);
    await blocks.mine();
    await ask(faucet, between);
    await blocks.mine();
    const { quantity } = faucet.node;
    const node: Node = {
      ...faucet.node,
      quantity: (method, params, deadline) =>
        quantity(method, method === 'eth_getTransactionCount' ? [params[0], behind] : params, deadline),
    };

    await ask({ ...faucet, node }, next);
    await blocks.mine();

    for (const each of [address, between, next]) expect(await received(chain, each)).toBe(GRANT);
  });

  it('keeps its claim, however deep it is and whichever version it was', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await ask(faucet, address);
    const early = await findGrant(faucet.table, granted.requestId);
    if (!early) throw new Error('the grant has no record');
    await blocks.setBaseFee(100);
    await tell(faucet, granted.requestId);
    await blocks.mine(finalBlocks + 1);
    await ask(faucet, newAddress()); // the ledger forgets it
    await blocks.mine();

    expect(await tell(faucet, granted.requestId)).toMatchObject({ status: 'confirmed', confirmations: 5 });
    // Also to whoever read the record before it knew the version that was mined.
    expect(await isLost(faucet.node, faucet.table, 'local', early, soon())).toBe(false);
    await expect(ask(faucet, address)).rejects.toMatchObject({ statusCode: 429 });
    expect(await received(chain, address)).toBe(GRANT);
  });
});
