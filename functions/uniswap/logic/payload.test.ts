import { expect, it } from 'vitest';
import { ZERO_ADDRESS } from '../../../shared/evm/values.ts';
import { payloadOf } from './payload.ts';

it.each([
  [100_000n, 0n, '120000'],
  [100_001n, 0n, '120002'],
  [100_000n, 44_200n, '158620'],
  [1_000_000n, 44_200n, '1200000'],
])(
  'an estimate of %d gas, which may lack %d, makes a limit of %s',
  async (estimate, unestimated, gasLimit) => {
    const node = { estimateGas: async () => estimate };
    const call = { to: ZERO_ADDRESS, data: '0x' } as const;

    expect(await payloadOf(node, call, 0, unestimated)).toEqual({ ...call, value: '0', gasLimit });
  },
);
