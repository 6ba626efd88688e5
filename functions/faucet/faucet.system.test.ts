import type { Address } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import { nodeAt, soon } from '../../test/evm/node.ts';
import { ask, type FaucetBench, GRANT, newAddress, received, settled, useBench } from './faucet-kit.ts';
import { findGrant } from './logic/grants.ts';
import { CLIENT_GRANTS_A_DAY } from './logic/rules.ts';
import { statusOf } from './logic/status.ts';

let chain: LocalChain;
let bench: FaucetBench;
useBench((opened) => {
  ({ chain, bench } = opened);
});

let before = 0;
beforeEach(async () => {
  before = await bench.mined();
});
afterEach(() => {
  vi.useRealTimers();
});

const outcomes = (answers: readonly PromiseSettledResult<unknown>[]) =>
  Object.groupBy(answers, ({ status }) => status);

describe('a grant', () => {
  it('is sent, and told of until it is confirmed', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];

    const granted = await ask(faucet, address);
    await settled(bench, before + 1);
    const record = await findGrant(faucet.table, granted.requestId);
    if (!record) throw new Error('the grant has no record');
    await chain.rpc('evm_mine');

    expect(granted).toEqual({
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      amount: '1000000000000000000',
      network: 'local',
      status: 'pending',
    });
    expect(await received(chain, address)).toBe(GRANT);
    expect(await statusOf(faucet.node, record, soon())).toEqual({
      ...granted,
      status: 'confirmed',
      confirmations: 2,
    });
  });

  it('is one for 50 requests for the same address through ten instances', async () => {
    const address = newAddress();
    const instances = Array.from({ length: 10 }, () => bench.instance());

    const asked = Array.from({ length: 50 }, (_, index) =>
      ask(instances[index % 10] ?? bench.instance(), address),
    );
    const { fulfilled, rejected } = outcomes(await Promise.allSettled(asked));
    await settled(bench, before + 1);

    expect(fulfilled).toHaveLength(1);
    expect(rejected).toHaveLength(49);
    for (const refusal of rejected ?? []) {
      expect(refusal).toMatchObject({
        reason: { statusCode: 429, headers: { 'retry-after': expect.stringMatching(/^8640[01]$/) } },
      });
    }
    expect(await received(chain, address)).toBe(GRANT);
    expect(await bench.mined()).toBe(before + 1);
  });

  it('is 50 for 50 addresses through ten instances, without a gap between the nonces', async () => {
    const addresses = Array.from({ length: 50 }, newAddress);
    const instances = Array.from({ length: 10 }, () => bench.instance());

    // Ten at a time, as ten containers would.
    const answers = await Promise.all(
      instances.map(async (instance, index) => {
        const own = [];
        for (const address of addresses.slice(index * 5, index * 5 + 5))
          own.push(await ask(instance, address));
        return own;
      }),
    );
    await settled(bench, before + 50);

    expect(new Set(answers.flat().map(({ txHash }) => txHash)).size).toBe(50);
    for (const address of addresses) expect(await received(chain, address)).toBe(GRANT);
    expect(await bench.mined()).toBe(before + 50);
  });

  it('is to be had again after 24 hours, and not a second before', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const start = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    await ask(faucet, address);

    vi.setSystemTime(start + 86_400_000 - 1_000);
    await expect(ask(faucet, address)).rejects.toMatchObject({
      statusCode: 429,
      message: `${address} has had its grant on local; the next one is possible in 1 s`,
      headers: { 'retry-after': '1' },
    });
    vi.setSystemTime(start + 86_400_000);
    await ask(faucet, address);

    await settled(bench, before + 2);
    expect(await received(chain, address)).toBe(2n * GRANT);
  });

  it('is counted for the client, who gets five a day', async () => {
    const faucet = bench.instance();
    const noon = Math.floor(Date.now() / 86_400_000) * 86_400_000 + 43_200_000;
    vi.useFakeTimers({ toFake: ['Date'], now: noon });
    for (let count = 0; count < CLIENT_GRANTS_A_DAY; count += 1) await ask(faucet, newAddress(), 'greedy');
    const sixth = newAddress();

    await expect(ask(faucet, sixth, 'greedy')).rejects.toMatchObject({
      statusCode: 429,
      message: 'You have had your 5 grants of today on local; the next one is possible in 43200 s',
    });
    await ask(faucet, sixth, 'somebody else');
    vi.setSystemTime(noon + 43_200_000);
    await ask(faucet, newAddress(), 'greedy');
    await settled(bench, before + CLIENT_GRANTS_A_DAY + 2);
  });
});

describe('an instance that dies', () => {
  class Death extends Error {}

  /** An instance that does `steps` things, and then nothing any more. */
  function mortal(steps: number) {
    let left = steps;
    return bench.instance(() => {
      left -= 1;
      if (left < 0) throw new Death();
    });
  }

  it.each(Array.from({ length: 18 }, (_, steps) => steps))(
    'after %i steps grants at most once, and holds up nobody',
    async (steps) => {
      const [address, next] = [newAddress(), newAddress()];
      const alive = bench.instance();

      const first = await ask(mortal(steps), address).catch((error: unknown) => error);
      // Its lease ends by itself; here as if ten seconds had passed.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_001 });
      await ask(alive, address).catch(() => {});
      await ask(alive, next);
      vi.useRealTimers();

      const total = () => Promise.all([address, next].map((each) => received(chain, each)));
      await vi.waitUntil(async () => (await total())[1] === GRANT, { timeout: 5_000, interval: 20 });
      const [got] = await total();
      expect(got === 0n || got === GRANT).toBe(true);
      expect(await bench.mined()).toBe(before + (got === GRANT ? 2 : 1));
      if (!(first instanceof Error)) expect(got).toBe(GRANT);
    },
  );
});

describe('a transfer that the node lost', () => {
  async function committedButLost(address: Address) {
    const faucet = bench.instance();
    const deaf = { ...faucet.node, rpc: withoutSending(faucet.node.rpc) };
    const granted = await ask({ ...faucet, node: deaf }, address);
    const record = await findGrant(faucet.table, granted.requestId);
    if (!record) throw new Error('the grant has no record');
    return record;
  }

  function withoutSending(rpc: ReturnType<typeof nodeAt>['rpc']): typeof rpc {
    return async (method, ...rest) => {
      if (method === 'eth_sendRawTransaction') return '0x';
      return rpc(method, ...rest);
    };
  }

  it('is sent with the next grant, before it', async () => {
    const lost = await Promise.all([newAddress(), newAddress(), newAddress()]);
    for (const address of lost) await committedButLost(address);
    expect(await bench.mined()).toBe(before);

    await ask(bench.instance(), newAddress());

    await settled(bench, before + 4);
    for (const address of lost) expect(await received(chain, address)).toBe(GRANT);
  });

  it('is sent when its status is asked for, once', async () => {
    const address = newAddress();
    const record = await committedButLost(address);
    const node = nodeAt(chain.url);

    expect(await statusOf(node, record, soon())).toMatchObject({ status: 'pending', confirmations: 0 });
    await settled(bench, before + 1);
    expect(await statusOf(node, record, soon())).toMatchObject({ status: 'confirmed', confirmations: 1 });
    await ask(bench.instance(), newAddress());
    await settled(bench, before + 2);

    expect(await received(chain, address)).toBe(GRANT);
    expect(await bench.mined()).toBe(before + 2);
  });
});

describe('a refusal', () => {
  it('by a node of another network comes before anything is claimed', async () => {
    const address = newAddress();
    const faucet = bench.instance();
    const { rpc } = faucet.node;
    const moved = {
      ...faucet.node,
      rpc: (async (method, ...rest) =>
        method === 'eth_chainId' ? '0x1' : rpc(method, ...rest)) as typeof rpc,
    };

    await expect(ask({ ...faucet, node: moved }, address)).rejects.toMatchObject({
      statusCode: 500,
      message: 'Server configuration error',
      cause: 'LOCAL_RPC_URL is not that of the test network local',
    });
    await ask(faucet, address);
    await settled(bench, before + 1);
  });

  it('of an empty faucet says so, and costs no grant', async () => {
    const address = newAddress();
    const balance = await chain.rpc('eth_getBalance', [bench.account, 'latest']);
    await chain.rpc('anvil_setBalance', [bench.account, '0x1']);

    await expect(ask(bench.instance(), address)).rejects.toMatchObject({
      statusCode: 503,
      message: 'The local faucet is empty at the moment; try again later',
    });
    await chain.rpc('anvil_setBalance', [bench.account, balance]);
    await ask(bench.instance(), address);
    await settled(bench, before + 1);
  });

  it.each<[bigint, Record<string, number>]>([
    [60n, { FaucetGranted: 1 }],
    [40n, { FaucetGranted: 1, FaucetLow: 1 }],
    [0n, { FaucetLow: 1 }],
  ])('with money for %d grants counts %j', async (grants, counted) => {
    const balance = await chain.rpc('eth_getBalance', [bench.account, 'latest']);
    await chain.rpc('anvil_setBalance', [bench.account, `0x${(grants * GRANT).toString(16)}`]);
    takeMetrics('left over');

    const outcome = ask(bench.instance(), newAddress()).then(() => 1);
    expect(await outcome.catch(() => 0)).toBe(counted.FaucetGranted ?? 0);

    const { _aws, ...counts } = JSON.parse(takeMetrics('test') ?? '{}');
    expect(counts).toEqual(counted);
    await chain.rpc('anvil_setBalance', [bench.account, balance]);
  });

  it('to a contract that takes no transfer is told with its reason', async () => {
    await expect(ask(bench.instance(), contracts.v2Router)).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/^Execution reverted/),
    });
  });

  it.each(['', 'no key', `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, '0x12'])(
    'of the key %j is a wrong configuration that does not quote it',
    async (key) => {
      const error = await ask({ ...bench.instance(), key }, newAddress()).catch((thrown: unknown) => thrown);

      expect(error).toMatchObject({ statusCode: 500, message: 'Server configuration error' });
      expect((error as Error).cause).toBe('LOCAL_FAUCET_KEY is not a private key');
    },
  );
});
