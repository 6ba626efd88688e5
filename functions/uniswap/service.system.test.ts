import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import type { ApprovalPayload } from '../../shared/evm/contract.ts';
import { post } from '../../test/contract/post.ts';
import { dataOf, expectFailure, type Service, startService } from '../../test/contract/service.ts';
import { newWallet } from '../../test/evm/wallet.ts';
import { balanceOf } from './fixtures/uniswap.ts';
import type { SwapData } from './logic/swap.ts';

const { alpha, beta } = contracts;

let service: Service;
let chain: LocalChain;
beforeAll(async () => {
  service = await startService({
    chain: 'local',
    env: { UPSTREAM_TIMEOUT_MS: '10000' },
  });
  if (!service.local.chain) throw new Error('these tests need the local chain');
  chain = service.local.chain;
});
afterAll(() => service.local.close());

const ask = (path: string, body: unknown) => post(`${service.local.url}${path}`, body);

it('a newcomer asks for a quote, approves and swaps', async () => {
  const wallet = await newWallet(chain, 1n);
  const first = { tokenIn: 'ETH', tokenOut: alpha, amount: String(ETHER / 2n), chain: 'local' };
  const quoted = dataOf<{ amountOut: string }>(await ask('/api/uniswap/quote', first));
  const bought = dataOf<SwapData>(await ask('/api/uniswap/swap', { ...first, recipient: wallet.address }));
  expect(await wallet.send(bought)).toMatchObject({ succeeded: true });
  expect(bought.quote.amountOut).toBe(quoted.amountOut);
  expect(await balanceOf(chain, alpha, wallet.address)).toBe(BigInt(quoted.amountOut));

  const second = { tokenIn: alpha, tokenOut: beta, amount: quoted.amountOut, chain: 'local' };
  const approval = { token: alpha, amount: quoted.amountOut, chain: 'local', owner: wallet.address };
  const approved = dataOf<ApprovalPayload>(await ask('/api/uniswap/approve', approval));
  const swapped = dataOf<SwapData>(await ask('/api/uniswap/swap', { ...second, recipient: wallet.address }));
  const { actual, required, spender } = swapped.issues.allowance ?? {};
  expect([actual, required, spender]).toEqual(['0', quoted.amountOut, approved.spender]);
  expect(await wallet.send(approved)).toMatchObject({ succeeded: true });
  expect(await wallet.send(swapped)).toMatchObject({ succeeded: true });
  expect(await balanceOf(chain, beta, wallet.address)).toBe(BigInt(swapped.quote.amountOut));
  expect(await balanceOf(chain, alpha, wallet.address)).toBe(0n);
});

describe('the chain', () => {
  const trade = { tokenIn: 'ETH', tokenOut: alpha, amount: '1' };
  const approval = { token: alpha, amount: '1' };

  it.each([
    ['/api/uniswap/quote', trade],
    ['/api/uniswap/approve', approval],
    ['/api/uniswap/swap', { ...trade, recipient: `0x${'12'.repeat(20)}` }],
  ])('without a node here is refused with those that have one by %s', async (path, body) => {
    expectFailure(
      await ask(path, { ...body, chain: 'base' }),
      400,
      'Invalid parameter chain: "base"; allowed: local (the chains that this service serves)',
    );
  });

  it('is the first that is served unless told', async () => {
    dataOf(await ask('/api/uniswap/quote', trade));
    dataOf(await ask('/api/uniswap/approve', approval));
  });
});
