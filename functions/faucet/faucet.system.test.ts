import type { Address } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { nodeError } from '../../shared/evm/node-error.ts';
import type { Rpc } from '../../shared/evm/rpc.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import {
  ask,
  deaf,
  type FaucetBench,
  GRANT,
  newAddress,
  received,
  settled,
  tell,
  useBench,
} from './fixtures/faucet.ts';
import type { Faucet } from './logic/faucet.ts';
import { CLIENT_GRANTS_A_DAY, MAX_KEPT } from './logic/rules.ts';

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
    await chain.rpc('evm_mine');

    expect(granted).toEqual({
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      amount: '1000000000000000000',
      network: 'local',
      status: 'pending',
    });
    expect(await received(chain, address)).toBe(GRANT);
    expect(await tell(faucet, granted.requestId)).toEqual({
      ...granted,
      status: 'confirmed',
      confirmations: 2,
    });
  });

  it('is one for 50 requests for the same address through ten instances', async () => {
    const address = newAddress();
    const instances = Array.from({ length: 10 }, () => bench.instance());
    vi.useFakeTimers({ toFake: ['Date'] }); // all of them ask at the same second

    const asked = Array.from({ length: 50 }, (_, index) =>
      ask(instances[index % 10] ?? bench.instance(), address),
    );
    const { fulfilled, rejected } = outcomes(await Promise.allSettled(asked));
    await settled(bench, before + 1);

    expect(fulfilled).toHaveLength(1);
    expect(rejected).toHaveLength(49);
    for (const refusal of rejected ?? []) {
      expect(refusal).toMatchObject({
        reason: {
          statusCode: 429,
          message: expect.stringMatching(/has had its grant|is being prepared/),
          headers: { 'retry-after': expect.stringMatching(/^(8640[01]|10)$/) },
        },
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

  it.each(Array.from({ length: 26 }, (_, steps) => steps))(
    'after %i steps costs nobody a grant: the next request gets it, or is told the truth',
    async (steps) => {
      const [address, next] = [newAddress(), newAddress()];
      const alive = bench.instance();

      const first = await ask(mortal(steps), address).catch((error: unknown) => error);
      // Its lease ends by itself; here as if ten seconds had passed.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_001 });
      const second = await ask(alive, address).catch((error: unknown) => error);
      await ask(alive, next);
      vi.useRealTimers();

      const total = () => Promise.all([address, next].map((each) => received(chain, each)));
      await vi.waitUntil(async () => (await total())[1] === GRANT, { timeout: 15_000, interval: 20 });
      expect((await total())[0]).toBe(GRANT);
      expect(await bench.mined()).toBe(before + 2);
      const had = `${address} has had its grant on local; `;
      if (second instanceof Error) expect(second.message).toContain(had);
      if (!(first instanceof Error)) expect(second).toBeInstanceOf(Error);
    },
  );

  it.each(Array.from({ length: 26 }, (_, steps) => steps))(
    'or is only frozen after %i steps, and goes on when somebody else has had the grant, pays nobody twice',
    async (steps) => {
      const address = newAddress();
      const { promise: thaw, resolve } = Promise.withResolvers<void>();
      const first = ask(freezing(steps, thaw), address).catch((error: unknown) => error);
      await Promise.race([first, new Promise((frozen) => setTimeout(frozen, 300))]);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_001 });
      const second = await ask(bench.instance(), address).catch((error: unknown) => error);
      vi.useRealTimers();
      resolve();
      const outcomes = [await first, second];

      await vi.waitUntil(async () => (await received(chain, address)) > 0n, {
        timeout: 15_000,
        interval: 20,
      });
      await ask(bench.instance(), newAddress()); // sends what was left
      await settled(bench, before + 2);
      expect(await received(chain, address)).toBe(GRANT);
      expect(await bench.mined()).toBe(before + 2);
      expect(outcomes.filter((outcome) => !(outcome instanceof Error)).length).toBeLessThanOrEqual(1);
    },
  );

  /** An instance that does `steps` things, and the others when it thaws. */
  function freezing(steps: number, thaw: Promise<void>): Faucet {
    const { node, table, key } = bench.instance();
    let left = steps;
    const step = async () => {
      left -= 1;
      if (left < 0) await thaw;
    };
    return {
      key,
      node: {
        ...node,
        rpc: async (...args) => step().then(() => node.rpc(...args)),
        quantity: async (...args) => step().then(() => node.quantity(...args)),
        blockNumber: async (...args) => step().then(() => node.blockNumber(...args)),
        estimateGas: async (...args) => step().then(() => node.estimateGas(...args)),
      },
      table: {
        get: async (...args) => step().then(() => table.get(...args)),
        update: async (...args) => step().then(() => table.update(...args)),
      },
    };
  }
});

it('a grant that is being prepared is no grant: the 429 says so, and when to try again', async () => {
  const address = newAddress();
  const dead = bench.instance((what) => {
    if (what === 'ledger') throw new Error('dead');
  });
  const start = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  await expect(ask(dead, address)).rejects.toThrow('dead');
  vi.setSystemTime(start + 4_000);
  await expect(ask(bench.instance(), address)).rejects.toMatchObject({
    statusCode: 429,
    message: `A grant for ${address} on local is being prepared; if that fails, the next one is possible in 6 s`,
    headers: { 'retry-after': '6' },
  });
  vi.setSystemTime(start + 10_000);
  await ask(bench.instance(), address);
  vi.useRealTimers();
  await settled(bench, before + 1);
  expect(await received(chain, address)).toBe(GRANT);
});

it('a transfer that was mined and forgotten, of an instance that died before it saved the grant, is given once', async () => {
  const address = newAddress();
  const dead = bench.instance((what) => {
    if (what === 'request') throw new Error('dead');
  });
  const start = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  await expect(ask(dead, address)).rejects.toThrow('dead');
  const second = await ask(bench.instance(), address).catch((error: unknown) => error); // sends it
  await settled(bench, before + 1);
  await chain.rpc('anvil_mine', ['0x100']); // too deep to be undone
  vi.setSystemTime(start + 10_001);
  await bench.endLease();
  for (let grants = 0; grants < 2; grants += 1) await ask(bench.instance(), newAddress()); // forget it
  const third = await ask(bench.instance(), address).catch((error: unknown) => error);
  vi.useRealTimers();

  const had = expect.stringContaining(`${address} has had its grant on local`);
  expect([second, third]).toMatchObject([{ message: had }, { message: had }]);
  await settled(bench, before + 3);
  expect(await received(chain, address)).toBe(GRANT);
});

describe('an instance whose clock runs an hour ahead', () => {
  it('holds up nobody when it dies', async () => {
    const start = Date.now();
    let isHeld = false;
    const dead = bench.instance(() => {
      if (isHeld) throw new Error('dead');
    });
    const { update } = dead.table;
    const table: Faucet['table'] = {
      ...dead.table,
      async update(row, change) {
        const updated = await update(row, change);
        isHeld ||= row === bench.ledgerKey;
        return updated;
      },
    };
    vi.useFakeTimers({ toFake: ['Date'], now: start + 3_600_000 });
    await expect(ask({ ...dead, table }, newAddress())).rejects.toThrow('dead');
    vi.setSystemTime(start);

    const address = newAddress();
    await ask(bench.instance(), address);

    await settled(bench, before + 1);
    expect(await received(chain, address)).toBe(GRANT);
  });
});

describe('a transfer that the node lost', () => {
  const committedButLost = (address: Address) => ask(deaf(bench.instance()), address);

  it('is sent with the next grant, before it', async () => {
    const lost = await Promise.all([newAddress(), newAddress(), newAddress()]);
    for (const address of lost) await committedButLost(address);
    expect(await bench.mined()).toBe(before);

    await ask(bench.instance(), newAddress());

    await settled(bench, before + 4);
    for (const address of lost) expect(await received(chain, address)).toBe(GRANT);
  });

  it('and the ledger has forgotten, as after a reorganisation, is sent when its status is asked for', async () => {
    const address = newAddress();
    const faucet = bench.instance();
    const { requestId } = await committedButLost(address);
    await faucet.table.update(bench.ledgerKey, { update: `REMOVE #t${before}, #g${before}` });

    expect(await tell(faucet, requestId)).toMatchObject({ status: 'pending' });

    await settled(bench, before + 1);
    expect(await tell(faucet, requestId)).toMatchObject({ status: 'confirmed' });
    expect(await received(chain, address)).toBe(GRANT);
  });

  it('is sent when its status is asked for, once', async () => {
    const address = newAddress();
    const { requestId } = await committedButLost(address);

    expect(await tell(bench.instance(), requestId)).toMatchObject({ status: 'pending', confirmations: 0 });
    await settled(bench, before + 1);
    expect(await tell(bench.instance(), requestId)).toMatchObject({ status: 'confirmed', confirmations: 1 });
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

  it('by the node of what the faucet asks for itself is a 502, no fault of the caller', async () => {
    const faucet = bench.instance();
    const { requestId } = await ask(faucet, newAddress());
    const refuses = (refused: string): Faucet => {
      const rpc: Rpc = async (method, ...rest) => {
        if (method === refused) throw nodeError('local', { code: -32602, message: 'invalid params' });
        return faucet.node.rpc(method, ...rest);
      };
      return { ...faucet, node: { ...faucet.node, rpc } };
    };
    const ours = {
      statusCode: 502,
      message: 'A call of this service failed: The local node refused the parameters (error -32602)',
    };

    await expect(tell(refuses('eth_getTransactionReceipt'), requestId)).rejects.toMatchObject(ours);
    await expect(ask(refuses('eth_chainId'), newAddress())).rejects.toMatchObject(ours);
    const deafToAll = refuses('eth_sendRawTransaction');
    await ask(deafToAll, newAddress());
    await expect(ask(deafToAll, newAddress())).rejects.toMatchObject(ours);
    await ask(faucet, newAddress());
    await settled(bench, before + 3);
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
    await settled(bench, before + (counted.FaucetGranted ?? 0));
    await chain.rpc('anvil_setBalance', [bench.account, balance]);
  });

  it('to a contract that takes no transfer is told with its reason', async () => {
    await expect(ask(bench.instance(), contracts.v2Router)).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/^Execution reverted/),
    });
  });

  it('to a contract that does more with a transfer than take it is told, and nothing is sent', async () => {
    const greedy = newAddress();
    // Writes six slots, at 22,100 units of gas each.
    const code = [1, 2, 3, 4, 5, 6].map((slot) => `6001600${slot}55`).join('');
    await chain.rpc('anvil_setCode', [greedy, `0x${code}00`]);

    await expect(ask(bench.instance(), greedy)).rejects.toMatchObject({
      statusCode: 400,
      message: `${greedy} is a contract that does not simply take a transfer`,
    });
    expect(await bench.mined()).toBe(before);
  });

  it('for want of room in the ledger says so, and costs no grant', async () => {
    const [address, faucet] = [newAddress(), bench.instance()];
    const kept = Array.from({ length: MAX_KEPT }, (_, index) => `#t${1_000_000 + index}`);
    for (let first = 0; first < MAX_KEPT; first += 50) {
      const some = kept.slice(first, first + 50).map((name) => `${name} = :kept`);
      const change = { update: `SET ${some.join(', ')}`, values: { ':kept': '0x' } };
      await faucet.table.update(bench.ledgerKey, change);
    }

    await expect(ask(faucet, address)).rejects.toMatchObject({
      statusCode: 503,
      message: 'The local faucet waits for its transfers to be mined; try again later',
    });
    await faucet.table.update(bench.ledgerKey, { update: `REMOVE ${kept.join(', ')}` });
    await ask(faucet, address);
    await settled(bench, before + 1);
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
