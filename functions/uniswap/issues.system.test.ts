import type { Address } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, call } from '../../local/evm/uniswap/liquidity.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { type UniswapRoutes, useRoutes } from './fixtures/routes.ts';
import { balanceOf, newTokens } from './fixtures/uniswap.ts';

const { weth, alpha, router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});

describe('what the sender lacks', () => {
  let [a, b]: [Address, Address] = [weth, alpha];
  let wallet: Wallet;
  let request: Record<string, unknown>;
  const give = (amount: bigint) => chain.send([call(a, 'token', 'transfer', [wallet.address, amount])]);
  beforeEach(async () => {
    [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send([addV2({ tokens: [a, b], amounts: [500n * ETHER, 900n * ETHER] })]);
    wallet = await newWallet(chain, 5n);
    request = { tokenIn: a, tokenOut: b, amount: '1000', recipient: wallet.address };
  });

  const told = async (changes: Record<string, unknown> = {}) =>
    (await routes.ask('swap', { ...request, ...changes })).issues;

  it('of allowance is told with the spender to approve', async () => {
    await give(2000n);
    const approval = { token: a, amount: '400', owner: wallet.address };
    await wallet.send(await routes.ask('approve', approval));

    expect(await told()).toEqual({
      allowance: { actual: '400', required: '1000', spender: router },
      balance: null,
      simulation: null,
    });
  });

  it('of balance is told, and that nothing could be tried without', async () => {
    await give(10n);

    expect(await told()).toEqual({
      allowance: { actual: '0', required: '1000', spender: router },
      balance: { token: a, actual: '10', required: '1000' },
      simulation: `${wallet.address} has too little of ${a} to try the swap: amounts are those of the quote`,
    });
  });

  it('of ETH is told, and the swap tried as if it were there', async () => {
    const amount = 6n * ETHER;

    expect(await told({ tokenIn: 'ETH', tokenOut: alpha, amount: String(amount) })).toEqual({
      allowance: null,
      balance: { token: 'ETH', actual: String(5n * ETHER), required: String(amount) },
      simulation: null,
    });
  });

  it('is nothing if nothing is lacking', async () => {
    await give(1000n);
    await wallet.send(await routes.ask('approve', { token: a, amount: '1000' }));

    expect(await told()).toEqual({ allowance: null, balance: null, simulation: null });
  });

  it('of ETH for gas alone keeps nobody from a payload', async () => {
    await give(1000n);
    await wallet.send(await routes.ask('approve', { token: a, amount: '1000' }));
    await chain.rpc('anvil_setBalance', [wallet.address, '0x0']);

    expect(await told()).toEqual({ allowance: null, balance: null, simulation: null });
  });

  it('of balance may come after the payload', async () => {
    await wallet.send(await routes.ask('approve', { token: a, amount: '1000' }));
    const swap = await routes.ask('swap', request);
    await give(1000n);

    expect(swap.issues.balance).toEqual({ token: a, actual: '0', required: '1000' });
    expect(await wallet.send(swap)).toMatchObject({ succeeded: true });
    expect(await balanceOf(chain, b, wallet.address)).toBe(BigInt(swap.quote.amountOut));
  });

  it('may come after the payload, with the approval that comes first', async () => {
    await give(1000n);
    const [approval, swap] = await Promise.all([
      routes.ask('approve', { token: a, amount: '1000', owner: wallet.address }),
      routes.ask('swap', request),
    ]);

    expect(await wallet.send(approval)).toMatchObject({ succeeded: true });
    const { succeeded, gasUsed } = await wallet.send(swap);

    expect(succeeded).toBe(true);
    expect(await balanceOf(chain, b, wallet.address)).toBe(BigInt(swap.quote.amountOut));
    expect(BigInt(swap.gasLimit)).toBeGreaterThanOrEqual((gasUsed * 11n) / 10n);
    expect(BigInt(swap.gasLimit)).toBeLessThanOrEqual(gasUsed * 2n);
  });
});
