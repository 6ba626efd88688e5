import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { nodeAt, respondRpc, soon } from '../../test/evm/node.ts';
import { startLoopback } from '../../test/pipeline/loopback.ts';
import type { Node } from './node.ts';

const NOBODY = '0x00000000000000000000000000000000000000A1';
const TOTAL_SUPPLY = '0x18160ddd';
const word = (digits: string): Hex => `0x${digits.padStart(64, '0')}`;

let chain: LocalChain;
let node: Node;
beforeAll(async () => {
  chain = await startLocalChain();
  node = nodeAt(chain.url);
});
afterAll(() => chain.close());

describe('the newest block', () => {
  it('is told with its number, hash, base fee and time', async () => {
    const block = (await chain.rpc('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;

    expect(await node.block(soon())).toEqual({
      number: BigInt(block.number ?? ''),
      hash: block.hash,
      baseFeePerGas: BigInt(block.baseFeePerGas ?? ''),
      timestamp: Number(block.timestamp),
    });
  });

  it.each([null, '0x1', {}, { number: '0x1', hash: '0x1' }, { number: 1, hash: word('1') }])(
    'is a 502 if the node says %j',
    async (result) => {
      const other = await startLoopback(respondRpc(() => ({ result })));

      await expect(nodeAt(other.url).block(soon())).rejects.toMatchObject({ statusCode: 502 });
      await other.close();
    },
  );

  it('has no base fee on a chain without one', async () => {
    const result = { number: '0x1', hash: word('1'), timestamp: '0x2' };
    const other = await startLoopback(respondRpc(() => ({ result })));

    expect(await nodeAt(other.url).block(soon())).toMatchObject({ baseFeePerGas: 0n, timestamp: 2 });
    await other.close();
  });
});

describe('a call with other state', () => {
  it('finds the code in the place of an account’s own', async () => {
    // PUSH1 42, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
    const overrides = { [NOBODY]: { code: '0x602a5f5260205ff3' } } as const;
    const call = { to: NOBODY, data: '0x' } as const;

    expect(BigInt(await node.call(call, 'latest', soon(), overrides))).toBe(42n);
    expect(await node.call(call, 'latest', soon())).toBe('0x');
  });

  it('finds the balance and the storage slots that it is given', async () => {
    // SELFBALANCE, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
    const overrides = { [NOBODY]: { code: '0x475f5260205ff3', balance: 7n } } as const;
    const balance = await node.call({ to: NOBODY, data: '0x' }, 'latest', soon(), overrides);
    // totalSupply is in the first slot of UniswapV2ERC20.
    const stateDiff: Record<Hex, Hex> = { [word('0')]: word('5') };
    const supply = await node.call(
      { to: contracts.alpha, data: TOTAL_SUPPLY, from: DEPLOYER },
      'latest',
      soon(),
      {
        [contracts.alpha]: { stateDiff },
      },
    );

    expect([BigInt(balance), BigInt(supply)]).toEqual([7n, 5n]);
  });
});
