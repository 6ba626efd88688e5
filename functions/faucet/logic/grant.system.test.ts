import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contracts } from '../../../local/evm/uniswap/deploy.ts';
import { nodeError } from '../../../shared/evm/node-error.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import {
  countOf,
  countsTaken,
  dayKey,
  type FaucetBench,
  GRANT,
  newAddress,
  received,
  request,
  setCount,
  settled,
  useBench,
} from '../fixtures/faucet.testing.ts';
import { faucets } from '../networks.ts';
import { CLIENT_GRANTS_A_DAY, type Faucet } from './grant.ts';

const { maxFee, perDay, enough } = faucets.local;

let bench: FaucetBench;
useBench((opened) => {
  bench = opened;
});

let before = 0;
beforeEach(async () => {
  before = await bench.mined();
  countsTaken();
});
afterEach(() => {
  vi.useRealTimers();
});

const hex = (wei: bigint) => `0x${wei.toString(16)}`;
const clockAt = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now });

/** Runs `use` while the faucet's account has this balance. */
async function withBalance<T>(wei: bigint, use: () => Promise<T>): Promise<T> {
  const { chain, account } = bench;
  const balance = await chain.rpc('eth_getBalance', [account, 'latest']);
  await chain.rpc('anvil_setBalance', [account, hex(wei)]);
  try {
    return await use();
  } finally {
    await settled(bench, await bench.known());
    await chain.rpc('anvil_setBalance', [account, balance]);
  }
}

describe('an address', () => {
  it('gets its next grant after 24 hours, and not a second earlier', async () => {
    const [address, faucet, start] = [newAddress(), bench.instance(), Date.now()];
    clockAt(start);
    await request(faucet, address);

    clockAt(start + DAY_MS - 1_000);
    await expect(request(faucet, address)).rejects.toMatchObject({
      statusCode: 429,
      message: `${address} has had its grant on local; the next one is possible in 1 s`,
      headers: { 'retry-after': '1' },
    });
    clockAt(start + DAY_MS);
    await request(faucet, address);

    await settled(bench, before + 2);
    expect(await received(bench, address)).toBe(2n * GRANT);
  });

  it('that has enough is a 400, and gets a grant with one wei less', async () => {
    const address = newAddress();
    await bench.chain.rpc('anvil_setBalance', [address, hex(enough)]);

    await expect(request(bench.instance(), address)).rejects.toMatchObject({
      statusCode: 400,
      message: `${address} has ${enough} wei on local; a grant is for addresses with less than ${enough}`,
    });
    await bench.chain.rpc('anvil_setBalance', [address, hex(enough - 1n)]);
    await request(bench.instance(), address);

    await expect.poll(() => received(bench, address)).toBe(enough - 1n + GRANT);
  });

  it('of a contract that rejects transfers is a 400 with its reason', async () => {
    await expect(request(bench.instance(), contracts.v2Router)).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/^Execution reverted/),
    });
  });

  it('of a contract that uses much gas for a transfer is a 400', async () => {
    const greedy = newAddress();
    // Writes six slots, at 22,100 units of gas each.
    const code = [1, 2, 3, 4, 5, 6].map((slot) => `6001600${slot}55`).join('');
    await bench.chain.rpc('anvil_setCode', [greedy, `0x${code}00`]);

    await expect(request(bench.instance(), greedy)).rejects.toMatchObject({
      statusCode: 400,
      message: `${greedy} is a contract that does not simply take a transfer`,
    });
    expect(await bench.mined()).toBe(before);
  });
});

describe('a day', () => {
  /** Half a minute before midnight of a day that no other test uses. */
  let evening = Math.ceil(Date.now() / DAY_MS) * DAY_MS - 30_000;
  const most = Number(perDay / GRANT);
  beforeEach(() => {
    evening += 10 * DAY_MS;
    clockAt(evening);
  });

  it('has five grants for a client', async () => {
    const faucet = bench.instance();
    const client = 'greedy';
    for (let count = 0; count < CLIENT_GRANTS_A_DAY; count += 1)
      await request(faucet, newAddress(), { client });
    const sixth = newAddress();

    await expect(request(faucet, sixth, { client })).rejects.toMatchObject({
      statusCode: 429,
      message: 'You have had your 5 grants of today on local; the next one is possible in 30 s',
    });
    await request(faucet, sixth, { client: 'another client' });
    clockAt(evening + 30_000);
    await request(faucet, newAddress(), { client });
    expect(await countOf(bench, dayKey(evening))).toBe(CLIENT_GRANTS_A_DAY + 1);
    await settled(bench, before + CLIENT_GRANTS_A_DAY + 2);
  });

  it('ends with its last grant, even if two instances compete for it', async () => {
    const addresses = [newAddress(), newAddress()] as const;
    await setCount(bench, dayKey(evening), most - 1);

    const outcomes = await Promise.allSettled(addresses.map((each) => request(bench.instance(), each)));

    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      {
        reason: {
          statusCode: 503,
          message:
            'The local faucet has given the 1000000000000000000000 wei of today; the next one is possible in 30 s',
          headers: { 'retry-after': '30' },
        },
      },
    ]);
    expect(await countOf(bench, dayKey(evening))).toBe(most);
    expect(countsTaken()).toEqual({ FaucetGranted: 1, FaucetDaySpent: 1 });
    // The refused address has had nothing.
    clockAt(evening + 30_000);
    await request(bench.instance(), addresses[outcomes[0]?.status === 'rejected' ? 0 : 1]);
    await settled(bench, before + 2);
  });
});

describe('the account', () => {
  it('that is empty is a 503, which does not count for the address, the day or the request’s key', async () => {
    const [address, options] = [newAddress(), { requestId: crypto.randomUUID() }];
    const ofDay = await countOf(bench, dayKey(Date.now()));

    await withBalance(GRANT + 1n, () =>
      expect(request(bench.instance(), address, options)).rejects.toMatchObject({
        statusCode: 503,
        message: 'The local faucet is empty at the moment; try again later',
      }),
    );

    expect(await countOf(bench, dayKey(Date.now()))).toBe(ofDay);
    await request(bench.instance(), address, options);
    await settled(bench, before + 1);
  });

  it.each<[bigint, Record<string, number>]>([
    [60n, { FaucetGranted: 1 }],
    [40n, { FaucetGranted: 1, FaucetLow: 1 }],
    [0n, { FaucetLow: 1 }],
  ])('with money for %d grants counts %j', async (grants, counted) => {
    await withBalance(grants * GRANT, () => request(bench.instance(), newAddress()).catch(() => {}));

    expect(countsTaken()).toEqual(counted);
  });

  it.each(['', 'no key', `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, '0x12'])(
    'with the key %j is a wrong configuration that does not quote it',
    async (key) => {
      const error = await request({ ...bench.instance(), key }, newAddress()).catch((thrown) => thrown);

      expect(error).toMatchObject({ statusCode: 500, message: 'Server configuration error' });
      expect(error.cause).toBe('LOCAL_FAUCET_KEY is not a private key');
    },
  );
});

describe('gas', () => {
  /** A faucet whose node reports this price. */
  const at = (price: bigint): Faucet => {
    const faucet = bench.instance();
    const quantity: typeof faucet.node.quantity = async (method, ...rest) =>
      method === 'eth_gasPrice' ? price : faucet.node.quantity(method, ...rest);
    return { ...faucet, node: { ...faucet.node, quantity } };
  };
  const feeOf = async (txHash: string) => {
    const transaction = await bench.chain.rpc('eth_getTransactionByHash', [txHash]);
    const { gas, maxFeePerGas } = transaction as Record<'gas' | 'maxFeePerGas', string>; // as specified
    return { maxFeePerGas: BigInt(maxFeePerGas), fee: BigInt(gas) * BigInt(maxFeePerGas) };
  };

  it('is offered ten times its price, up to the ceiling', async () => {
    const price = 1_000_000_000n;
    const { txHash } = await request(at(price), newAddress());
    const { txHash: dearer } = await request(at(200n * price), newAddress());

    expect(await feeOf(txHash)).toMatchObject({ maxFeePerGas: 10n * price });
    expect((await feeOf(dearer)).fee).toBeLessThanOrEqual(maxFee);
    await settled(bench, before + 2);
  });

  it('at more than half of the ceiling is a 503, and nothing is granted', async () => {
    const address = newAddress();
    const most = maxFee / (2n * 25_200n);

    await expect(request(at(most + 1n), address)).rejects.toMatchObject({
      statusCode: 503,
      message: 'Gas on local costs 596 gwei at the moment, and the faucet pays up to 595; try again later',
    });
    await request(at(most), address);

    expect(countsTaken()).toEqual({ FaucetGranted: 1, FaucetTooDear: 1 });
    await settled(bench, before + 1);
  });
});

it('a node that refuses the faucet’s own transfer is a 502', async () => {
  const { node, ...faucet } = bench.instance();
  const rpc: typeof node.rpc = async (method, ...rest) => {
    if (method !== 'eth_sendRawTransaction') return node.rpc(method, ...rest);
    throw nodeError('local', { code: -32602, message: 'invalid params' });
  };
  const refused = { ...faucet, node: { ...node, rpc } };

  await request(refused, newAddress()); // granted, but not sent
  await expect(request(refused, newAddress())).rejects.toMatchObject({
    statusCode: 502,
    message: 'A call of this service failed: The local node refused the parameters (error -32602)',
  });
  await request(bench.instance(), newAddress());
  await settled(bench, before + 2);
});
