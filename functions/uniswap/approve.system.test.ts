import type { Address } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { chains } from '../../shared/chains.ts';
import { newOddToken } from '../../test/evm/odd-tokens.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { failure } from '../../test/pipeline/event.ts';
import { newTokens, read, sendApproval, type UniswapRoutes, useRoutes } from './fixtures/uniswap.testing.ts';

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
  it('says what it is for', async () => {
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

  it('is for any signer without an owner, for the wanted router, and has no limit for the largest amount', async () => {
    const amount = String(2n ** 256n - 1n);
    expect(await routes.ask('approve', { token: alpha, amount, router: 'V2Router02' })).toMatchObject({
      from: null,
      spender: v2Router,
      data: `0x095ea7b3${v2Router.slice(2).toLowerCase().padStart(64, '0')}${'f'.repeat(64)}`,
      summary: expect.stringMatching(/ take any amount of UNI-V2 on local$/),
    });
  });

  it('needs no reset of a token that changes allowances at once, and one of 0 takes it back', async () => {
    const [token] = await newTokens(chain, 1);
    await wallet.send(await approvalOf(token, '1000'));
    expect((await approvalOf(token, '2000')).reset).toBeNull();

    const revocation = await approvalOf(token, '0');
    await wallet.send(revocation);

    expect(revocation.summary).toMatch(/ take no more /);
    expect(await allowance(token)).toBe(0n);
  });

  it('of a token like Tether comes with a reset while another is left, unless it takes that back', async () => {
    const token = await newOddToken(chain, { isTetherLike: true, decimals: 6 });
    const first = await approvalOf(token, '5');
    expect(first.reset).toBeNull();
    await wallet.send(first);

    for (const amount of ['5', '2000']) {
      const approval = await approvalOf(token, amount);
      const data = expect.stringMatching(/^0x095ea7b3\w{64}0{64}$/);
      expect(approval.reset).toMatchObject({ to: token, data });
      expect(await sendApproval(wallet, approval)).toMatchObject({ succeeded: true });
      expect(await allowance(token)).toBe(BigInt(amount));
    }
    const { reset, ...revocation } = await approvalOf(token, '0');
    expect(reset).toBeNull();
    expect(await wallet.send(revocation)).toMatchObject({ succeeded: true });
  });
});

const greatest = String(2n ** 256n);
it.each([
  [{ amount: '1' }, 'Missing required parameter: token'],
  [
    { token: alpha, amount: greatest },
    `Invalid parameter amount: "${greatest}"; allowed: an integer of base units from 1 to 2^256 - 1`,
  ],
  [
    { token: 'ETH', amount: '1' },
    `Invalid parameter token: "ETH"; allowed: a token's address; ETH needs no approval`,
  ],
])('a refusal says what is wrong: %j', async (body, text) => {
  expect(await routes.post('approve', body)).toMatchObject({ status: 400, body: failure(text) });
});

it('an address without a token is a 404', async () => {
  const token = (await newWallet(chain)).address;

  expect(await routes.post('approve', { token, amount: '1' })).toMatchObject({
    status: 404,
    body: failure(`No token found at ${token} on local`),
  });
});
