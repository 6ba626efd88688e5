/** A grant whose writes to the table are applied on a connection that then dies, so that its client repeats them: at once, or late. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CuttingProxy, startCuttingProxy, warmed } from '../../../test/coordination/cutting-proxy.ts';
import type { GrantData } from '../contract.ts';
import {
  countOf,
  dayKey,
  type FaucetBench,
  GRANT,
  newAddress,
  readStatus,
  received,
  request,
  settled,
  useBench,
} from '../fixtures/faucet.testing.ts';

/** The lease, the grant, its rows, the note that they are written, and the end of the lease. */
const WRITES = Array.from({ length: 8 }, (_, write) => write);

let bench: FaucetBench;
useBench((opened) => {
  bench = opened;
});

let proxy: CuttingProxy;
let mined = 0;
let ofDay = 0;
beforeEach(async () => {
  proxy = await startCuttingProxy(bench.dynamoDb.url);
  mined = await bench.mined();
  ofDay = await countOf(bench, dayKey(Date.now()));
});
afterEach(async () => {
  vi.useRealTimers();
  await proxy.close();
});

/** An instance behind the proxy. */
async function unlucky() {
  const faucet = bench.instance(undefined, proxy.url);
  await warmed(faucet.table);
  return faucet;
}

const outcomeOf = (requested: Promise<GrantData>) => requested.catch((error: Error) => error);

describe('a grant', () => {
  it.each(WRITES)('whose write %i arrives twice is made, counted and recorded once', async (after) => {
    const address = newAddress();
    const faucet = await unlucky();
    const cut = proxy.cutWrite({ after });

    const { requestId } = await request(faucet, address);
    await cut;

    expect(proxy.writes).toBe(WRITES.length + 1);
    await settled(bench, mined + 1);
    expect(await received(bench, address)).toBe(GRANT);
    expect(await countOf(bench, dayKey(Date.now()))).toBe(ofDay + 1);
    expect(await readStatus(bench.instance(), requestId)).toMatchObject({ status: 'confirmed' });
    // The lease is free.
    await request(bench.instance(), newAddress());
    await settled(bench, mined + 2);
  });

  it.each(WRITES)(
    'whose write %i arrives again after another instance took the lease is paid once',
    async (after) => {
      const address = newAddress();
      const other = newAddress();
      const client = crypto.randomUUID();
      const faucet = await unlucky();
      const outcomes: (GrantData | Error)[] = [];
      const cut = proxy.cutWrite({
        after,
        async meanwhile() {
          vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_001 });
          outcomes.push(await outcomeOf(request(bench.instance(), other, { client })));
          outcomes.push(await outcomeOf(request(bench.instance(), address, { client })));
        },
      });

      outcomes.push(await outcomeOf(request(faucet, address, { client })));
      await cut;

      await settled(bench, mined + 2);
      for (const each of [address, other]) expect(await received(bench, each)).toBe(GRANT);
      expect(await bench.known()).toBe(mined + 2);
      expect(await countOf(bench, dayKey(Date.now()))).toBe(ofDay + 2);
      expect(outcomes.filter((outcome) => !(outcome instanceof Error)).length).toBeLessThanOrEqual(2);
      // Nobody holds the lease in the end.
      await request(bench.instance(), newAddress(), { client });
      await settled(bench, mined + 3);
    },
  );
});
