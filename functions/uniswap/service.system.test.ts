import { afterAll, beforeAll, expect, it } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { post } from '../../test/contract/post.ts';
import { dataOf, type Service, startService } from '../../test/contract/service.ts';
import { newWallet } from '../../test/evm/wallet.ts';
import type { ApprovalData } from './approve.ts';
import { balanceOf } from './fixtures/uniswap.testing.ts';
import type { SwapData } from './swap.ts';

const { alpha, beta } = contracts;

let service: Service;
let chain: LocalChain;
beforeAll(async () => {
  service = await startService({ chain: 'local', env: { UPSTREAM_TIMEOUT_MS: '10000' } });
  if (!service.local.chain) throw new Error('these tests need the local chain');
  chain = service.local.chain;
});
afterAll(() => service.local.close());

const ask = (path: string, body: unknown) => post(`${service.local.url}/api/uniswap/${path}`, body);

it('a new account gets a quote, approves and swaps', async () => {
  const wallet = await newWallet(chain, 1n);
  const recipient = wallet.address;
  const first = { tokenIn: 'ETH', tokenOut: alpha, amount: String(ETHER / 2n) };
  const { amountOut } = dataOf<{ amountOut: string }>(await ask('quote', first));
  const bought = dataOf<SwapData>(await ask('swap', { ...first, recipient }));
  expect(await wallet.send(bought)).toMatchObject({ succeeded: true });
  expect(await balanceOf(chain, alpha, recipient)).toBe(BigInt(amountOut));

  const approval = { token: alpha, amount: amountOut, owner: recipient };
  const approved = dataOf<ApprovalData>(await ask('approve', approval));
  const second = { tokenIn: alpha, tokenOut: beta, amount: amountOut, recipient };
  const swapped = dataOf<SwapData>(await ask('swap', second));
  expect(swapped.issues.allowance).toEqual({ actual: '0', required: amountOut, spender: approved.spender });
  expect(await wallet.send(approved)).toMatchObject({ succeeded: true });
  expect(await wallet.send(swapped)).toMatchObject({ succeeded: true });
  expect(await balanceOf(chain, beta, recipient)).toBe(BigInt(swapped.quote.amountOut));
});
