import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { GWEI } from '../../shared/evm/values.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import { seededRandom } from '../../test/random.ts';
import {
  addressKey,
  ask,
  blocksByHand,
  countOf,
  dayKey,
  type FaucetBench,
  GRANT,
  newAddress,
  received,
  tell,
  useBench,
} from './fixtures/faucet.ts';
import type { GrantData } from './logic/faucet.ts';
import { faucets } from './networks.ts';

const KILLS = 100;
/** At each of these one at least; the machine's load has a say in who dies where. */
const STEPS = ['address', 'client', 'day', 'ledger', 'request', 'eth_sendRawTransaction'];
const INSTANCES = 5;
const BLOCK_MS = 120;
/** Blocks at 1 gwei, then as many at 100. */
const BLOCKS_AT_A_PRICE = 3;
/** More than a grant takes, or a status that replaces ten transfers. */
const MOST_STEPS = 34;

let chain: LocalChain;
let bench: FaucetBench;
useBench((opened) => {
  ({ chain, bench } = opened);
});

class Death extends Error {}

/** A transaction that the faucet did not sign, with the nonce of its next one to be mined. */
async function useKeyElsewhere(): Promise<void> {
  const account = privateKeyToAccount(bench.key as Hex); // the chain's own
  const signed = await account.signTransaction({
    ...{ type: 'eip1559', chainId: 31_337, to: newAddress(), value: 1n, gas: 21_000n },
    ...{ nonce: await bench.mined(), maxFeePerGas: 1_000n * GWEI, maxPriorityFeePerGas: 100n * GWEI },
  });
  await chain.rpc('eth_sendRawTransaction', [signed]).catch(() => {}); // or the nonce was mined meanwhile
}

interface Sent {
  readonly to: string;
  readonly value: bigint;
  readonly fee: bigint;
}

/** What the faucet's account sent, in all blocks after one. */
async function sentAfter(block: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  const last = Number(await chain.rpc('eth_blockNumber'));
  for (let number = block + 1; number <= last; number += 1) {
    const answer = await chain.rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, true]);
    const { transactions } = answer as { transactions: Record<string, string>[] }; // as specified
    for (const { from, to = '', value = '', gas = '', maxFeePerGas = '' } of transactions) {
      if (from !== bench.account.toLowerCase()) continue;
      sent.push({ to, value: BigInt(value), fee: BigInt(gas) * BigInt(maxFeePerGas) });
    }
  }
  return sent;
}

it(`pays nobody twice and tells everybody the truth, with ${KILLS} kills while gas rises from 1 to 100 gwei and falls`, async () => {
  const next = seededRandom(93);
  const random = (below: number) => Math.floor(next() * below);
  const blocks = await blocksByHand(chain);
  const firstBlock = Number(await chain.rpc('eth_blockNumber'));
  const addresses = Array.from({ length: 200 }, newAddress);
  const told: { readonly address: Address; readonly grant: GrantData }[] = [];
  const killedAt = new Set<string>();
  let kills = 0;
  const begun = Date.now();
  const isOver = () => kills >= KILLS && STEPS.every((step) => killedAt.has(step));
  takeMetrics('left over');

  const lives = async (use: (faucet: ReturnType<FaucetBench['instance']>) => Promise<void>) => {
    let left = random(MOST_STEPS);
    const isMortal = random(4) > 0;
    const faucet = bench.instance((what) => {
      left -= 1;
      if (!isMortal || left >= 0) return;
      if (left === -1) {
        kills += 1;
        killedAt.add(what);
      }
      throw new Death();
    });
    try {
      await use(faucet);
    } catch (error) {
      if (!(error instanceof Death || error instanceof ApiError)) throw error;
    }
    // The lease ends by itself, of a dead instance; also of one that is too slow.
    if (left < 0) await bench.endLease();
  };
  const instances = Array.from({ length: INSTANCES }, async () => {
    while (!isOver()) {
      const known = told[random(told.length + 1)];
      const again = random(3) === 0 ? told[random(told.length || 1)]?.address : undefined;
      const address = again ?? addresses[random(addresses.length)] ?? newAddress();
      await lives(async (faucet) => {
        if (known && random(2) === 0) await tell(faucet, known.grant.requestId);
        else told.push({ address, grant: await ask(faucet, address) });
      });
    }
  });
  const market = async () => {
    for (let block = 1; !isOver(); block += 1) {
      await sleep(BLOCK_MS);
      await blocks.setBaseFee(Math.floor(block / BLOCKS_AT_A_PRICE) % 2 === 0 ? 1 : 100);
      await blocks.mine();
      if (block % 4 === 0) await useKeyElsewhere();
    }
  };
  await Promise.all([market(), ...instances]);
  const counts = JSON.parse(takeMetrics('test') ?? '{}');

  // From here on nobody dies.
  const outcomes = new Map<string, string>();
  await expect
    .poll(
      async () => {
        await blocks.mine();
        for (const { grant } of told) {
          const { status } = await tell(bench.instance(), grant.requestId);
          outcomes.set(grant.requestId, status);
        }
        return [...outcomes.values()].includes('pending');
      },
      { timeout: 60_000 },
    )
    .toBe(false);

  const sent = (await sentAfter(firstBlock)).filter(({ value }) => value > 1n);
  const paid = sent.map(({ to }) => to);
  expect(counts).toMatchObject({ FaucetReplaced: expect.any(Number) });
  expect(new Set(paid).size).toBe(paid.length);
  for (const address of addresses) expect([0n, GRANT]).toContain(await received(chain, address));
  for (const { value, fee } of sent) {
    expect(value).toBe(GRANT);
    expect(fee).toBeLessThanOrEqual(faucets.local.maxFee);
  }
  const days = [...new Set([begun, Date.now()].map(dayKey))];
  const gwei = await Promise.all(days.map((day) => countOf(bench, day)));
  const counted = gwei.reduce((sum, each) => sum + each) / Number(GRANT / GWEI);
  expect(counted).toBeGreaterThanOrEqual(paid.length);
  for (const { address, grant } of told) {
    const outcome = outcomes.get(grant.requestId);
    const claim = await bench.instance().table.get(addressKey(address));
    if (outcome === 'confirmed') expect(paid).toContain(address.toLowerCase());
    else {
      expect(outcome).toBe('failed');
      expect(claim?.request === grant.requestId && claim.until !== 0).toBe(false);
    }
  }
  await blocks.end();
}, 150_000);
