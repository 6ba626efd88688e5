import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../shared/http/errors.ts';
import { seededRandom } from '../../../test/random.ts';
import { isLong } from '../../../test/setup/long.ts';
import type { GrantData } from '../contract.ts';
import {
  countOf,
  dayKey,
  type FaucetBench,
  GRANT,
  mineAgain,
  mineByHand,
  newAddress,
  readStatus,
  received,
  request,
  settled,
  useBench,
} from '../fixtures/faucet.testing.ts';

/** The lease, the grant, the transfer, its five rows, and the end of the lease. A grant makes no other writes. */
const WRITES = Array.from({ length: 10 }, (_, writes) => writes);
/** Random ones; `npm run test:long` has enough of them to meet every kind. */
const KILLS = isLong ? 100 : 12;
const KILLED_AT = ['sender', 'request', 'address', 'day', 'eth_sendRawTransaction'];
const INSTANCES = 5;
const BLOCK_MS = 120;

class Death extends Error {}

let bench: FaucetBench;
useBench((opened) => {
  bench = opened;
});

let before = 0;
beforeEach(async () => {
  before = await bench.mined();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An instance that makes so many writes, and dies before the next one. */
function mortal(writes: number) {
  let left = writes;
  return bench.instance((_what, isWrite) => {
    if (left === 0 && isWrite) left = -1;
    if (left < 0) throw new Death();
    if (isWrite) left -= 1;
  });
}

/** An instance that makes so many writes, and the others when it thaws. */
function freezing(writes: number, thaw: Promise<void>, onFreeze: () => void) {
  let left = writes;
  return bench.instance(async (_what, isWrite) => {
    if (isWrite) left -= 1;
    if (left >= 0) return;
    onFreeze();
    await thaw;
  });
}

const outcomeOf = (requested: Promise<GrantData>) => requested.catch((error: Error) => error);
const leaseEnds = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_001 });

describe('an instance that dies', () => {
  it.each(WRITES)('after %i writes leaves a grant that the next request sends, or none', async (writes) => {
    const address = newAddress();

    const first = await outcomeOf(request(mortal(writes), address));
    leaseEnds();
    const second = await outcomeOf(request(bench.instance(), address));
    vi.useRealTimers();

    await settled(bench, before + 1);
    expect(await received(bench, address)).toBe(GRANT);
    expect(await bench.known()).toBe(before + 1);
    if (second instanceof Error) expect(second.message).toContain(`${address} has had its grant on local; `);
    if (!(first instanceof Error)) expect(second).toBeInstanceOf(Error);
  });

  it.each(WRITES)(
    'or freezes after %i writes and continues after the next request grants nothing twice',
    async (writes) => {
      const [address, other, client] = [newAddress(), newAddress(), crypto.randomUUID()];
      const { promise: thaw, resolve } = Promise.withResolvers<void>();
      const { promise: frozen, resolve: onFreeze } = Promise.withResolvers<void>();
      const first = outcomeOf(request(freezing(writes, thaw, onFreeze), address, { client }));
      await Promise.race([first, frozen]);
      leaseEnds();
      const ofDay = await countOf(bench, dayKey(Date.now()));
      const second = await outcomeOf(request(bench.instance(), address, { client }));
      await request(bench.instance(), other, { client });
      const counted = await countOf(bench, dayKey(Date.now()));
      vi.useRealTimers();
      resolve();
      const outcomes = [await first, second];

      await settled(bench, before + 2);
      for (const each of [address, other]) expect(await received(bench, each)).toBe(GRANT);
      expect(await bench.known()).toBe(before + 2);
      expect(outcomes.filter((outcome) => !(outcome instanceof Error)).length).toBeLessThanOrEqual(1);
      expect(counted - ofDay).toBeLessThanOrEqual(2);
      expect(await countOf(bench, dayKey(Date.now()))).toBe(counted);
    },
  );

  it.each(WRITES)(
    'after %i writes grants once for a key, however often the request is repeated',
    async (writes) => {
      const [address, options] = [
        newAddress(),
        { requestId: crypto.randomUUID(), client: crypto.randomUUID() },
      ];

      const first = await outcomeOf(request(mortal(writes), address, options));
      leaseEnds();
      const second = await request(bench.instance(), address, options);
      const third = await request(bench.instance(), address, options);
      vi.useRealTimers();

      await settled(bench, before + 1);
      expect(third).toEqual(second);
      if (!(first instanceof Error)) expect(second).toEqual(first);
      expect(await received(bench, address)).toBe(GRANT);
      expect(await bench.known()).toBe(before + 1);
      expect(await readStatus(bench.instance(), second.requestId)).toMatchObject({ status: 'confirmed' });
    },
  );
});

it(`no address is paid twice and every grant arrives, with ${KILLS} kills at random calls`, {
  timeout: 150_000,
}, async () => {
  const next = seededRandom(93);
  const random = (below: number) => Math.floor(next() * below);
  await mineByHand(bench);
  const addresses = Array.from({ length: 2 * KILLS }, newAddress);
  const granted: { readonly address: Address; readonly requestId: string }[] = [];
  const killedAt = new Set<string>();
  const days = new Set([dayKey(Date.now())]);
  const ofDay = await countOf(bench, dayKey(Date.now()));
  let kills = 0;
  const isOver = () => kills >= KILLS && (!isLong || KILLED_AT.every((what) => killedAt.has(what)));

  const live = async () => {
    let isDead = false;
    let left = random(4) === 0 ? Number.POSITIVE_INFINITY : random(30);
    const faucet = bench.instance((what) => {
      left -= 1;
      if (left >= 0) return;
      if (!isDead) kills += 1;
      if (!isDead) killedAt.add(what);
      isDead = true;
      throw new Death();
    });
    const known = granted[random(granted.length * 2 + 1)];
    const address = addresses[random(addresses.length)] ?? newAddress();
    try {
      if (known) await readStatus(faucet, known.requestId);
      else granted.push({ address, requestId: (await request(faucet, address)).requestId });
    } catch (error) {
      if (!(error instanceof Death || error instanceof ApiError)) throw error;
    }
    // The lease ends by itself, even of an instance that is only slow.
    if (isDead) await bench.endLease();
  };
  const mine = async () => {
    while (!isOver()) {
      await sleep(BLOCK_MS);
      await bench.chain.rpc('evm_mine');
    }
  };
  const instances = Array.from({ length: INSTANCES }, async () => {
    while (!isOver()) await live();
  });
  await Promise.all([mine(), ...instances]);

  await bench.chain.rpc('evm_mine');
  const last = newAddress();
  granted.push({ address: last, requestId: (await request(bench.instance(), last)).requestId });
  await mineAgain(bench);
  days.add(dayKey(Date.now()));
  const paid = [];
  for (const address of [...addresses, last]) {
    const balance = await received(bench, address);
    expect([0n, GRANT]).toContain(balance);
    if (balance === GRANT) paid.push(address);
  }
  expect(await bench.known()).toBe(before + paid.length);
  const counts = await Promise.all([...days].map((day) => countOf(bench, day)));
  expect(counts.reduce((sum, each) => sum + each) - ofDay).toBe(paid.length);
  expect(paid).toEqual(expect.arrayContaining(granted.map(({ address }) => address)));
  for (const { requestId } of granted) {
    expect(await readStatus(bench.instance(), requestId)).toMatchObject({ status: 'confirmed' });
  }
});
