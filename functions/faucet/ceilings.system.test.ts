import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { GWEI } from '../../shared/evm/values.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import {
  ask,
  type Blocks,
  blocksByHand,
  countOf,
  dayKey,
  type FaucetBench,
  GRANT,
  newAddress,
  received,
  setCount,
  tell,
  useBench,
} from './fixtures/faucet.ts';
import { CLIENT_GRANTS_A_DAY } from './logic/rules.ts';
import { faucets } from './networks.ts';

const DAY_MS = 86_400_000;
const { maxFee, perDay, enough } = faucets.local;

let chain: LocalChain;
let bench: FaucetBench;
useBench((opened) => {
  ({ chain, bench } = opened);
});

beforeEach(() => {
  takeMetrics('left over');
});
afterEach(() => {
  vi.useRealTimers();
});

const hex = (wei: bigint) => `0x${wei.toString(16)}`;

function countsTaken(): Record<string, number> {
  const { _aws, ...counts } = JSON.parse(takeMetrics('test') ?? '{}');
  return counts;
}

describe('the ceiling of the fee', () => {
  /** The highest price at which twice of it, for 25,200 units of gas, is within the ceiling. */
  const most = maxFee / (2n * 25_200n);
  /** A faucet whose node tells this price. */
  const at = (price: bigint) => {
    const faucet = bench.instance();
    const quantity: typeof faucet.node.quantity = async (method, ...rest) =>
      method === 'eth_gasPrice' ? price : faucet.node.quantity(method, ...rest);
    return { ...faucet, node: { ...faucet.node, quantity } };
  };

  it('lets a price pass that is just below it, and refuses one that is just above', async () => {
    const [below, above] = [newAddress(), newAddress()];

    await ask(at(most), below);
    await expect(ask(at(most + 1n), above)).rejects.toMatchObject({
      statusCode: 503,
      message: 'Gas on local costs 596 gwei at the moment, and the faucet pays up to 595; try again later',
    });

    expect(countsTaken()).toEqual({ FaucetGranted: 1, FaucetTooDear: 1 });
    await expect.poll(() => received(chain, below)).toBe(GRANT);
    await ask(bench.instance(), above); // nothing was claimed
  });

  describe('beyond which gas has risen', () => {
    let blocks: Blocks;
    beforeEach(async () => {
      blocks = await blocksByHand(chain);
    });
    afterEach(async () => {
      await blocks.end();
    });

    it('leaves transfers waiting, and they are replaced when it is below again', async () => {
      const [address, faucet] = [newAddress(), bench.instance()];
      const { requestId, txHash } = await ask(faucet, address);
      await blocks.setBaseFee(700);
      await blocks.mine();
      takeMetrics('left over');

      await expect(ask(faucet, newAddress())).rejects.toMatchObject({ statusCode: 503 });
      expect(await tell(faucet, requestId)).toMatchObject({ status: 'pending', txHash });
      expect(countsTaken()).toEqual({ FaucetTooDear: 1, FaucetStuck: 1 });
      await blocks.setBaseFee(500);
      await tell(faucet, requestId);
      await blocks.mine();

      expect(await tell(faucet, requestId)).toMatchObject({ status: 'confirmed' });
      const { gas, maxFeePerGas } = await transactionOf((await tell(faucet, requestId)).txHash);
      expect(gas * maxFeePerGas).toBeLessThanOrEqual(maxFee);
    });

    async function transactionOf(txHash: string) {
      const transaction = await chain.rpc('eth_getTransactionByHash', [txHash]);
      const { gas, maxFeePerGas } = transaction as Record<'gas' | 'maxFeePerGas', string>; // as specified
      return { gas: BigInt(gas), maxFeePerGas: BigInt(maxFeePerGas) };
    }
  });
});

describe('the ceiling of the day', () => {
  const inGwei = (wei: bigint) => Number(wei / GWEI);
  /** Half a minute before midnight of a day that no other test has. */
  let evening = Math.ceil(Date.now() / DAY_MS) * DAY_MS - 30_000;
  beforeEach(() => {
    evening += 10 * DAY_MS;
    vi.useFakeTimers({ toFake: ['Date'], now: evening });
  });

  it('is spent to the last grant, for which two instances race', async () => {
    const addresses = [newAddress(), newAddress()];
    await setCount(bench, dayKey(evening), inGwei(perDay - GRANT));

    const [first, second] = [bench.instance(), bench.instance()];
    const outcomes = await Promise.allSettled([
      ask(first, addresses[0] ?? '0x', 'one'),
      ask(second, addresses[1] ?? '0x', 'two'),
    ]);

    const refusals = outcomes.filter(({ status }) => status === 'rejected');
    expect(refusals).toMatchObject([
      {
        reason: {
          statusCode: 503,
          message:
            'The local faucet has given the 1000000000000000000000 wei of today; the next one is possible in 30 s',
          headers: { 'retry-after': '30' },
        },
      },
    ]);
    expect(await countOf(bench, dayKey(evening))).toBe(inGwei(perDay));
    expect(countsTaken()).toEqual({ FaucetGranted: 1, FaucetDaySpent: 1 });
    const got = () => Promise.all(addresses.map((each) => received(chain, each)));
    await expect.poll(async () => (await got()).reduce((sum, each) => sum + each)).toBe(GRANT);

    // Neither the address nor the client of the refused one has had anything.
    vi.setSystemTime(evening + 30_000);
    const refused = addresses[outcomes[0]?.status === 'rejected' ? 0 : 1] ?? '0x';
    await ask(bench.instance(), refused);
  });

  it('refuses what would pass it by a gwei', async () => {
    await setCount(bench, dayKey(evening), inGwei(perDay - GRANT) + 1);

    await expect(ask(bench.instance(), newAddress())).rejects.toMatchObject({ statusCode: 503 });
    expect(await countOf(bench, dayKey(evening))).toBe(inGwei(perDay - GRANT) + 1);
  });

  it('costs neither the client nor the address anything while it is spent', async () => {
    const address = newAddress();
    await setCount(bench, dayKey(evening), inGwei(perDay));
    for (let count = 0; count < CLIENT_GRANTS_A_DAY; count += 1)
      await expect(ask(bench.instance(), address, 'unlucky')).rejects.toMatchObject({ statusCode: 503 });

    await setCount(bench, dayKey(evening), 0);
    expect(await ask(bench.instance(), address, 'unlucky')).toMatchObject({ status: 'pending' });
  });

  it('gets back what a grant counted that was refused afterwards', async () => {
    const address = newAddress();
    const balance = await chain.rpc('eth_getBalance', [bench.account, 'latest']);
    await chain.rpc('anvil_setBalance', [bench.account, hex(GRANT + 1n)]);

    await expect(ask(bench.instance(), address)).rejects.toMatchObject({
      statusCode: 503,
      message: 'The local faucet is empty at the moment; try again later',
    });
    await chain.rpc('anvil_setBalance', [bench.account, balance]);

    expect(await countOf(bench, dayKey(evening))).toBe(0);
    await ask(bench.instance(), address);
    expect(await countOf(bench, dayKey(evening))).toBe(inGwei(GRANT));
  });
});

describe('an address', () => {
  it('that has enough is refused before anything is claimed, and not with a wei less', async () => {
    const address = newAddress();
    await chain.rpc('anvil_setBalance', [address, hex(enough)]);

    await expect(ask(bench.instance(), address)).rejects.toMatchObject({
      statusCode: 400,
      message: `${address} has ${enough} wei on local; a grant is for addresses with less than ${enough}`,
    });
    await chain.rpc('anvil_setBalance', [address, hex(enough - 1n)]);
    await ask(bench.instance(), address);

    await expect.poll(() => received(chain, address)).toBe(enough - 1n + GRANT);
  });
});
