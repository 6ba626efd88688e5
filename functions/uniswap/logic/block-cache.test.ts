import { expect, it } from 'vitest';
import type { Block } from '../../../shared/evm/node.ts';
import { BlockCache } from './block-cache.ts';

const block = (number: number, hash: string): Block => ({
  number: BigInt(number),
  hash: `0x${hash}`,
  baseFeePerGas: 0n,
  timestamp: 0,
});

/** Asks for one key at one block after the other; which of them were loaded. */
async function loaded(blocks: readonly Block[]): Promise<string[]> {
  const cache = new BlockCache<string>();
  const loads: string[] = [];
  for (const { hash, ...rest } of blocks) {
    const load = async () => {
      loads.push(hash);
      return hash;
    };
    expect(await cache.get({ hash, ...rest }, 'key', load)).toBe(hash);
  }
  return loads;
}

const [a1, b1, a2, a3] = [block(1, 'a1'), block(1, 'b1'), block(2, 'a2'), block(3, 'a3')] as const;

it('two blocks of one height are kept apart, and both are kept', async () => {
  expect(await loaded([a1, b1, a1, b1, a1])).toEqual(['0xa1', '0xb1']);
});

it('nodes that are a block apart each find their own', async () => {
  expect(await loaded([a1, a2, a1, a2])).toEqual(['0xa1', '0xa2']);
});

it('a block that two newer ones have replaced is asked for anew, and takes no place', async () => {
  expect(await loaded([a1, a2, a3, a1, a2, a3])).toEqual(['0xa1', '0xa2', '0xa3', '0xa1']);
});

it('a failure is not kept', async () => {
  const cache = new BlockCache<string>();
  await expect(cache.get(a1, 'key', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await cache.get(a1, 'key', async () => 'yes')).toBe('yes');
});
