import { afterAll, beforeAll, expect, it } from 'vitest';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import type { Payload } from '../../shared/evm/payload.ts';
import { post } from '../../test/contract/post.ts';
import { dataOf, expectFailure, type Service, startService } from '../../test/contract/service.ts';
import { newWallet } from '../../test/evm/wallet.ts';
import type { QuoteData } from './logic/quote.ts';
import type { SwapData } from './logic/swap.ts';
import { balanceOf } from './uniswap-kit.ts';

const { alpha, beta } = contracts;

let service: Service;
let chain: LocalChain;
beforeAll(async () => {
  service = await startService({
    chain: 'local',
    env: { UPSTREAM_TIMEOUT_MS: '5000' },
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
  const route = dataOf<QuoteData>(await ask('/api/uniswap/quote', second)).route;
  const tooEarly = await ask('/api/uniswap/swap', { ...second, recipient: wallet.address });
  expectFailure(tooEarly, 400, /^Insufficient allowance: the v3 router 0x/);
  const approval = { token: alpha, amount: quoted.amountOut, chain: 'local', router: route[0]?.type };
  await wallet.send(dataOf<Payload>(await ask('/api/uniswap/approve', approval)));
  const swapped = dataOf<SwapData>(await ask('/api/uniswap/swap', { ...second, recipient: wallet.address }));
  expect(await wallet.send(swapped)).toMatchObject({ succeeded: true });
  expect(await balanceOf(chain, beta, wallet.address)).toBe(BigInt(swapped.quote.amountOut));
  expect(await balanceOf(chain, alpha, wallet.address)).toBe(0n);
});

it('a chain without a node here is a server that is not configured', async () => {
  const body = { tokenIn: 'ETH', tokenOut: '0x6B175474E89094C44Da98b954EedeAC495271d0F', amount: '1' };
  expectFailure(await ask('/api/uniswap/quote', body), 500, 'Server configuration error');
});
