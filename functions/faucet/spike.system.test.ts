import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { nodeError } from '../../shared/evm/node-error.ts';
import { GWEI } from '../../shared/evm/values.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { nodeAt, respondRpc, soon } from '../../test/evm/node.ts';
import { startLoopback } from '../../test/pipeline/loopback.ts';
import {
  ask,
  type Blocks,
  blocksByHand,
  deaf,
  type FaucetBench,
  GRANT,
  newAddress,
  received,
  tell,
  useBench,
} from './fixtures/faucet.ts';
import type { GrantData } from './logic/faucet.ts';
import { MAX_UNMINED, MAX_VERSIONS } from './logic/rules.ts';
import { broadcast } from './logic/treasury.ts';
import { faucets } from './networks.ts';

let chain: LocalChain;
let bench: FaucetBench;
useBench((opened) => {
  ({ chain, bench } = opened);
});

let blocks: Blocks;
let before = 0;
beforeEach(async () => {
  blocks = await blocksByHand(chain);
  before = await bench.mined();
});
afterEach(async () => {
  vi.useRealTimers();
  await blocks.end();
});

async function feesOf(txHash: string): Promise<{ max: bigint; priority: bigint }> {
  const transaction = await chain.rpc('eth_getTransactionByHash', [txHash]);
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction as Record<string, string>; // as specified
  return { max: BigInt(maxFeePerGas ?? 0), priority: BigInt(maxPriorityFeePerGas ?? 0) };
}

function countsTaken(): Record<string, number> {
  const { _aws, ...counts } = JSON.parse(takeMetrics('test') ?? '{}');
  return counts;
}

describe('a fee spike from 1 to 100 gwei', () => {
  it('stops nobody: grants before, during and after it are mined while it lasts', async () => {
    const addresses = Array.from({ length: 24 }, newAddress);
    const grants = [];

    for (const address of addresses.slice(0, 12)) grants.push(await ask(bench.instance(), address));
    await blocks.setBaseFee(100);
    await blocks.mine();
    expect(await bench.mined()).toBe(before);
    for (const address of addresses.slice(12, 20)) grants.push(await ask(bench.instance(), address));
    await blocks.mine();
    expect(await bench.mined()).toBe(before + 20);
    await blocks.setBaseFee(1);
    for (const address of addresses.slice(20)) grants.push(await ask(bench.instance(), address));
    await blocks.mine();

    expect(await bench.mined()).toBe(before + 24);
    for (const address of addresses) expect(await received(chain, address)).toBe(GRANT);
    for (const { requestId } of grants) {
      expect(await tell(bench.instance(), requestId)).toMatchObject({ status: 'confirmed' });
    }
  });

  it.each([
    ['still knows', 0],
    ['has dropped', 1],
  ])('is over for a transfer that the node %s, when its status is asked for', async (_case, empty) => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await ask(faucet, address);
    await blocks.setBaseFee(100);
    await blocks.mine(empty);
    takeMetrics('left over');

    const stuck = await tell(faucet, granted.requestId);
    const { max, priority } = await feesOf(stuck.txHash);
    expect(countsTaken()).toEqual({ FaucetReplaced: 1 });
    await blocks.mine();
    const mined = await tell(faucet, granted.requestId);
    await blocks.mine(faucets.local.finalBlocks - 1);
    await ask(faucet, newAddress()); // settles it
    const later = await tell(faucet, granted.requestId);

    expect(stuck).toEqual({ ...granted, txHash: expect.any(String), confirmations: 0 });
    expect(stuck.txHash).not.toBe(granted.txHash);
    expect(max).toBeGreaterThanOrEqual(200n * GWEI);
    expect(priority).toBeGreaterThanOrEqual((GWEI * 9n) / 8n);
    expect(mined).toEqual({ ...stuck, status: 'confirmed', confirmations: 1 });
    expect(later).toEqual({ ...mined, confirmations: faucets.local.finalBlocks });
    expect(await faucet.table.get(bench.ledgerKey)).not.toHaveProperty(`g${before}`);
    expect(await received(chain, address)).toBe(GRANT);
  });

  it('is over for whoever waits behind a stuck transfer, when it asks for its own status', async () => {
    const [first, second] = [newAddress(), newAddress()];
    await ask(bench.instance(), first);
    await blocks.setBaseFee(100);
    // Signed at the new price, by an instance that dies before it sends anything.
    const granted = await ask(deaf(bench.instance()), second);
    await blocks.mine();
    expect(await bench.mined()).toBe(before);

    await tell(bench.instance(), granted.requestId);
    await blocks.mine();

    expect(await bench.mined()).toBe(before + 2);
    for (const address of [first, second]) expect(await received(chain, address)).toBe(GRANT);
  });

  it('that ends before the replacement was sent leaves the first version to be mined, and found', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await ask(faucet, address);
    await blocks.setBaseFee(100);
    await tell(deaf(faucet), granted.requestId);
    await blocks.setBaseFee(1);
    await blocks.mine();

    const mined = await tell(faucet, granted.requestId);
    await blocks.mine(faucets.local.finalBlocks - 1);
    await ask(faucet, newAddress()); // settles it

    expect(mined).toEqual({ ...granted, status: 'confirmed', confirmations: 1 });
    const { txHash } = granted;
    expect(await tell(faucet, granted.requestId)).toMatchObject({ status: 'confirmed', txHash });
    expect(await received(chain, address)).toBe(GRANT);
  });
});

describe('a hundred transfers that are stuck', () => {
  it('are replaced by the grant that is refused because of them', async () => {
    const addresses = Array.from({ length: MAX_UNMINED }, newAddress);
    for (const address of addresses) await ask(bench.instance(), address);
    await blocks.setBaseFee(100);
    vi.useFakeTimers({ toFake: ['Date'] }); // the time for replacing is not over before all are
    takeMetrics('left over');

    await expect(ask(bench.instance(), newAddress())).rejects.toMatchObject({
      statusCode: 503,
      message: 'The local faucet waits for its transfers to be mined; try again later',
    });
    expect(countsTaken()).toEqual({ FaucetReplaced: MAX_UNMINED, FaucetStuck: 1 });
    await blocks.mine();

    expect(await bench.mined()).toBe(before + MAX_UNMINED);
    for (const address of addresses) expect(await received(chain, address)).toBe(GRANT);
  }, 60_000);
});

describe('an instance that dies while it replaces', () => {
  it.each(Array.from({ length: 36 }, (_, steps) => steps))(
    'after %i steps holds up nobody',
    async (steps) => {
      const [stuck, asking, next] = [newAddress(), newAddress(), newAddress()];
      const granted = await ask(bench.instance(), stuck);
      await blocks.setBaseFee(100);
      let left = steps;
      const mortal = bench.instance(() => {
        left -= 1;
        if (left < 0) throw new Error('dead');
      });

      const first = await ask(mortal, asking).catch((error: unknown) => error);
      await bench.endLease();
      await ask(bench.instance(), next);
      await blocks.mine();

      const [own = 0n, ...others] = await Promise.all(
        [asking, stuck, next].map((each) => received(chain, each)),
      );
      expect(others).toEqual([GRANT, GRANT]);
      expect(own === GRANT || (own === 0n && first instanceof Error)).toBe(true);
      expect(await tell(bench.instance(), granted.requestId)).toMatchObject({ status: 'confirmed' });
      expect(await bench.mined()).toBe(before + (own === GRANT ? 3 : 2));
    },
  );
});

describe('a replacement', () => {
  it.each([
    ['instance', undefined],
    ['node', new ApiError(502, 'The local node is unreachable')],
  ])('whose %s died between commit and send is sent by the next one, unchanged', async (_case, error) => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await ask(faucet, address);
    await blocks.setBaseFee(100);

    await tell(deaf(faucet, error), granted.requestId);
    const sent = await tell(faucet, granted.requestId);
    await blocks.mine();

    expect(sent.txHash).not.toBe(granted.txHash);
    expect(await tell(faucet, granted.requestId)).toEqual({ ...sent, status: 'confirmed', confirmations: 1 });
    expect(await bench.mined()).toBe(before + 1);
  });

  it('by an instance that has lost its lease is neither committed nor sent', async () => {
    const [address, quick, slow] = [newAddress(), bench.instance(), bench.instance()];
    const granted = await ask(quick, address);
    await blocks.setBaseFee(100);
    const { update } = slow.table;
    let other: unknown;
    const table: SharedTable = {
      ...slow.table,
      async update(row, change) {
        if (change.update.includes(`#t${before}`)) {
          await bench.endLease();
          await blocks.setBaseFee(200); // so that its version is another one
          other = await tell(quick, granted.requestId);
        }
        return update(row, change);
      },
    };

    const late = await tell({ ...slow, table }, granted.requestId);
    await blocks.mine();

    expect(other).toMatchObject({ status: 'pending' });
    expect(late).toEqual({ ...granted, confirmations: 0 });
    const { txHash } = other as GrantData; // of `tell`
    expect(await tell(quick, granted.requestId)).toMatchObject({ status: 'confirmed', txHash });
  });

  it('that the node calls underpriced is raised once more, and holds up no grant', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const granted = await ask(faucet, address);
    // Somebody else with the key, at a fee that ours does not reach.
    await chain.rpc('eth_sendRawTransaction', [
      await privateKeyToAccount(bench.key as `0x${string}`).signTransaction({
        ...{ type: 'eip1559', chainId: 31_337, to: newAddress(), value: 1n, nonce: before, gas: 21_000n },
        ...{ maxFeePerGas: 1_000n * GWEI, maxPriorityFeePerGas: 100n * GWEI },
      }),
    ]);
    await blocks.setBaseFee(50);
    takeMetrics('left over');

    const stuck = await tell(faucet, granted.requestId);
    expect(countsTaken()).toEqual({ FaucetReplaced: 2 });
    const next = await ask(faucet, newAddress());
    expect(countsTaken()).toEqual({ FaucetReplaced: 1, FaucetGranted: 1 });
    await blocks.mine();

    expect(stuck).toMatchObject({ status: 'pending' });
    expect(await tell(faucet, next.requestId)).toMatchObject({ status: 'confirmed' });
    expect(await tell(faucet, granted.requestId)).toMatchObject({ status: 'pending', confirmations: 0 });
    expect(await received(chain, address)).toBe(0n);
  });

  it('is signed with no key but that of the transfer’s own account', async () => {
    const faucet = bench.instance();
    const granted = await ask(faucet, newAddress());
    await blocks.setBaseFee(100);

    const changed = { ...faucet, key: `0x${'5e'.repeat(32)}` };
    expect(await tell(changed, granted.requestId)).toMatchObject({ txHash: granted.txHash });
    expect((await tell(faucet, granted.requestId)).txHash).not.toBe(granted.txHash);
    await blocks.mine();
  });

  it('is made so often at most that the ledger has room, and then somebody is told', async () => {
    const node = nodeError('local', { code: -32_000, message: 'replacement transaction underpriced' });
    const refused = deaf(bench.instance(), node);
    const granted = await ask(refused, newAddress());
    for (let version = 1; version < MAX_VERSIONS; version += 1) await tell(refused, granted.requestId);
    takeMetrics('left over');

    const last = await tell(refused, granted.requestId);
    expect((await tell(refused, granted.requestId)).txHash).toBe(last.txHash);
    expect(countsTaken()).toEqual({ FaucetStuck: 2 });
    expect(await ask(refused, newAddress())).toMatchObject({ status: 'pending' });

    // A node that takes it again ends that.
    await ask(bench.instance(), newAddress());
    await blocks.mine();
    expect(await tell(refused, granted.requestId)).toMatchObject({
      status: 'confirmed',
      txHash: last.txHash,
    });
  });

  it.each([
    ['already known', true],
    ['nonce too low', true],
    ['replacement transaction underpriced', false],
    ['transaction underpriced: tip needed 1, tip permitted 0', false],
    ['max fee per gas less than block base fee: address 0x0, maxFeePerGas: 1, baseFee: 2', false],
  ])('of which a node says "%s" is taken: %s', async (message, taken) => {
    const node = await startLoopback(respondRpc(() => ({ error: { code: -32_000, message } })));

    expect(await broadcast(nodeAt(node.url), '0x', soon())).toBe(taken);
    await node.close();
  });
});
