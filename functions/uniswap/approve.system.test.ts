import type { Address } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { chains } from '../../shared/evm/chains.ts';
import type { ApprovalPayload } from '../../shared/evm/contract.ts';
import { newOddToken } from '../../test/evm/odd-tokens.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { failure } from '../../test/pipeline/event.ts';
import { sendApproval, type UniswapRoutes, useRoutes } from './fixtures/routes.ts';
import { newTokens, read } from './fixtures/uniswap.ts';

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

const approvalOf = (token: Address, amount: string): Promise<ApprovalPayload> =>
  routes.ask('approve', { token, amount, owner: wallet.address });
const allowance = (token: Address, spender: Address = router) =>
  read<bigint>(chain, token, 'token', 'allowance', [wallet.address, spender]);

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

  it('is for any signer without an owner, and for the router that is asked for', async () => {
    expect(await routes.ask('approve', { token: alpha, amount: '1', router: 'V2Router02' })).toMatchObject({
      from: null,
      spender: v2Router,
      reset: null,
    });
  });

  it('has no limit if asked to', async () => {
    const { data, summary } = await approvalOf(alpha, String(2n ** 256n - 1n));

    expect(data).toBe(`0x095ea7b3${router.slice(2).toLowerCase().padStart(64, '0')}${'f'.repeat(64)}`);
    expect(summary).toMatch(/ take any amount of UNI-V2 on local$/);
  });

  it('of 0 takes back what was allowed', async () => {
    const [token] = (await newTokens(chain, 1)) as [Address];
    await wallet.send(await approvalOf(token, '1000'));

    const revocation = await approvalOf(token, '0');
    await wallet.send(revocation);

    expect(revocation.summary).toMatch(/ take no more /);
    expect(await allowance(token)).toBe(0n);
  });

  it('needs no reset of a token that changes allowances at once', async () => {
    const [token] = (await newTokens(chain, 1)) as [Address];
    await wallet.send(await approvalOf(token, '1000'));

    expect((await approvalOf(token, '2000')).reset).toBeNull();
  });
});

describe('an approval of a token like Tether', () => {
  let token: Address;
  beforeEach(async () => {
    token = await newOddToken(chain, { isTetherLike: true, decimals: 6 });
  });

  it('is plain while nothing is allowed', async () => {
    const approval = await approvalOf(token, '5');

    expect(approval.reset).toBeNull();
    expect(await wallet.send(approval)).toMatchObject({ succeeded: true });
  });

  it.each(['5', '2000'])('comes with its reset after another: %s', async (amount) => {
    await wallet.send(await approvalOf(token, '5'));

    const approval = await approvalOf(token, amount);

    expect(approval.reset).toMatchObject({
      to: token,
      data: expect.stringMatching(/^0x095ea7b3\w{64}0{64}$/),
    });
    expect(await sendApproval(wallet, approval)).toMatchObject({ succeeded: true });
    expect(await allowance(token)).toBe(BigInt(amount));
  });

  it('is taken back without one', async () => {
    await wallet.send(await approvalOf(token, '5'));
    const { reset, ...revocation } = await approvalOf(token, '0');

    expect(reset).toBeNull();
    expect(await wallet.send(revocation)).toMatchObject({ succeeded: true });
  });
});

describe('a refusal', () => {
  it.each([
    [{ amount: '1' }, 'Missing required parameter: token'],
    [
      { token: alpha, amount: String(2n ** 256n) },
      `Invalid parameter amount: "${2n ** 256n}"; allowed: an integer of base units from 1 to 2^256 - 1`,
    ],
    [
      { token: 'ETH', amount: '1' },
      `Invalid parameter token: "ETH"; allowed: a token's address; ETH needs no approval`,
    ],
  ])('says what is wrong: %j', async (body, text) => {
    expect(await routes.post('approve', body)).toMatchObject({ status: 400, body: failure(text) });
  });

  it('is a 404 if there is no token to approve', async () => {
    const token = (await newWallet(chain)).address;

    expect(await routes.post('approve', { token, amount: '1' })).toMatchObject({
      status: 404,
      body: failure(`No token found at ${token} on local`),
    });
  });
});
