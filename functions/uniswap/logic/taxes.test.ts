import { encodeAbiParameters, toHex } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import type { Address } from '../../../shared/evm/values.ts';
import { type UniswapNode, uniswapChain } from '../deployments.ts';
import type { PoolState } from './pool-states.ts';
import { arriving, keepsSome, taxBps, taxesOf } from './taxes.ts';

describe('what arrives of an amount, after a transfer that was measured,', () => {
  it.each([
    ['nothing is lost', { sent: 1_000_000n, arrived: 1_000_000n }, 0, 12_345n],
    ['3 % are lost, rounded down', { sent: 1_000_033n, arrived: 970_033n }, 300, 11_975n],
    ['a rate of no whole hundredths of a percent', { sent: 3_000_000n, arrived: 2_000_000n }, 3333, 8_230n],
    ['all is lost', { sent: 1_000_000n, arrived: 0n }, 10_000, 0n],
    ['a unit is lost in rounding', { sent: 1_000_000n, arrived: 999_999n }, 0, 12_344n],
    ['two units are', { sent: 1_000_000n, arrived: 999_998n }, 0, 12_343n],
    ['nothing was measured', undefined, null, 12_345n],
    ['nothing was sent', { sent: 0n, arrived: 0n }, null, 12_345n],
  ])('if %s', (_what, transfer, bps, amount) => {
    expect(taxBps(transfer)).toBe(bps);
    expect(arriving(transfer, 12_345n)).toBe(amount);
    expect(keepsSome(transfer)).toBe(transfer !== undefined && transfer.arrived < transfer.sent);
  });

  it('is never less than nothing', () => {
    expect(arriving({ sent: 1_000_000n, arrived: 999_998n }, 1n)).toBe(0n);
  });
});

describe('what a container has measured', () => {
  const chain = uniswapChain('local');
  const { multicall: _none, ...uniswap } = chain.uniswap; // calls one by one
  const tokenOf = (index: number): Address => toHex(index, { size: 20 });
  const poolOf = (token: Address): PoolState => ({
    hop: { type: 'v2', pool: tokenOf(0), feeTier: 3000, tokenIn: token, tokenOut: tokenOf(0) },
    price: { numerator: 1n, denominator: 1n },
    ...{ reserveIn: 10n ** 18n, reserveOut: 10n ** 18n, isUsable: true, isActive: true },
  });
  const three = Array(3).fill({ type: 'uint256' });
  const answer = encodeAbiParameters(three, [1_000_000n, 900_000n, 810_000n]);

  it('of a token is known though so many others were measured since that it makes room for the next', async () => {
    // Of a real node a thousand tokens would have to be made.
    const node = {
      chain: { ...chain, uniswap },
      rpc: () => {},
      call: async () => answer,
    } as unknown as UniswapNode;
    const measured = (...tokens: Address[]) =>
      taxesOf(
        node,
        tokens.map((token) => ({ token, pools: [poolOf(token)] })),
        1n,
        Date.now() + 60_000,
      );
    const [taxed, next] = [tokenOf(1), tokenOf(1_001)];
    await measured(...Array.from({ length: 1_000 }, (_, index) => tokenOf(index + 1)));

    const taxes = await measured(taxed, next);

    expect([taxed, next].map((token) => taxBps(taxes.get(token)?.buy))).toEqual([1_000, 1_000]);
  });
});
