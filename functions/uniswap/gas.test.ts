import { expect, it } from 'vitest';
import type { Node } from '../../shared/evm/node.ts';
import { ZERO_ADDRESS } from '../../shared/evm/values.ts';
import { estimated } from './gas.ts';

const pair = {
  type: 'v2',
  pool: ZERO_ADDRESS,
  feeTier: 3000,
  tokenIn: ZERO_ADDRESS,
  tokenOut: ZERO_ADDRESS,
} as const;

it.each([
  [100_000n, 0, '120000'],
  [100_001n, 0, '120002'],
  [100_000n, 1, '158620'],
  [1_000_000n, 1, '1200000'],
])(
  'an estimate of %d gas for a swap through %d pairs makes a limit of %s',
  async (estimate, pairs, gasLimit) => {
    const node = { estimateGas: async () => estimate } as unknown as Node;
    const call = { to: ZERO_ADDRESS, data: '0x' } as const;

    const payload = await estimated(node, call, 0, Array(pairs).fill(pair));

    expect(payload).toEqual({ ...call, value: '0', gasLimit });
  },
);
