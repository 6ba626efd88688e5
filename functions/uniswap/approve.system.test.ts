import type { Address } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { chains } from '../../shared/chains.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { failure } from '../../test/pipeline/event.ts';
import { newTokens, read, type UniswapRoutes, useRoutes } from './fixtures/uniswap.testing.ts';

const { alpha, router, v2Router } = contracts;

let chain: LocalChain;
let routes: UniswapRoutes;
let wallet: Wallet;
useRoutes((opened) => {
  ({ chain, routes } = opened);
});
beforeEach(async () => {
  wallet = await newWallet(chain);
});

const approvalOf = (token: Address, amount: string) =>
  routes.ask('approve', { token, amount, owner: wallet.address });
const allowance = (token: Address) =>
  read<bigint>(chain, token, 'token', 'allowance', [wallet.address, router]);

describe('an approval', () => {
  it('names the token, the spender, the chain and the owner', async () => {
    expect(await approvalOf(alpha, '1500000000000000000')).toMatchObject({
      to: alpha,
      value: '0',
      chainId: chains.local.chainId,
      from: wallet.address,
      spender: router,
      summary: "Let Uniswap's SwapRouter02 (0xe1Aa…b629) take up to 1.5 UNI-V2 on local",
      reset: null,
    });
  });

  it('without an owner is for any signer, and has no limit with the largest amount', async () => {
    const amount = String(2n ** 256n - 1n);
    expect(await routes.ask('approve', { token: alpha, amount, router: 'V2Router02' })).toMatchObject({
      from: null,
      spender: v2Router,
      data: `0x095ea7b3${v2Router.slice(2).toLowerCase().padStart(64, '0')}${'f'.repeat(64)}`,
      summary: expect.stringMatching(/ take any amount of UNI-V2 on local$/),
    });
  });

  it('needs no reset by a standard token, and 0 revokes it', async () => {
    const [token] = await newTokens(chain, 1);
    await wallet.send(await approvalOf(token, '1000'));
    expect((await approvalOf(token, '2000')).reset).toBeNull();

    const revocation = await approvalOf(token, '0');
    await wallet.send(revocation);

    expect(revocation.summary).toMatch(/ take no more /);
    expect(await allowance(token)).toBe(0n);
  });
});

const tooLarge = String(2n ** 256n);
it.each([
  [
    { token: alpha, amount: tooLarge },
    `Invalid parameter amount: "${tooLarge}"; allowed: an integer of base units from 1 to 2^256 - 1`,
  ],
  [
    { token: 'ETH', amount: '1' },
    `Invalid parameter token: "ETH"; allowed: a token's address; ETH needs no approval`,
  ],
  [
    { token: alpha, amount: '1', chain: 'base' },
    'Invalid parameter chain: "base"; allowed: local (the chains that this service serves)',
  ],
])('an invalid input is a 400 that names it: %j', async (body, text) => {
  expect(await routes.post('approve', body)).toMatchObject({ status: 400, body: failure(text) });
});

it('an address without a token is a 404', async () => {
  const token = (await newWallet(chain)).address;

  expect(await routes.post('approve', { token, amount: '1' })).toMatchObject({
    status: 404,
    body: failure(`No token found at ${token} on local`),
  });
});
