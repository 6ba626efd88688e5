import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call } from '../../local/evm/uniswap/liquidity.ts';
import { soon } from '../../test/evm/node.ts';
import { newWallet } from '../../test/evm/wallet.ts';
import { uniswapChain } from './deployments.ts';
import { newTokens, uniswapNodeAt } from './fixtures/uniswap.ts';
import { swapCall } from './logic/calldata.ts';
import { quote } from './logic/quote.ts';

let chain: LocalChain;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());

const { weth, alpha } = contracts;
const v2 = (a: Address, b: Address) => addV2({ tokens: [a, b], amounts: [100n * ETHER, 150n * ETHER] });
const v3 = (a: Address, b: Address, tier = 3000) =>
  addV3(tier, { tokens: [a, b], amounts: [100n * ETHER, 150n * ETHER] });
const give = (token: Address, to: Address) =>
  chain.send([call(token, token === weth ? 'weth' : 'token', 'transfer', [to, 2n * ETHER])]);

/** The figures of a pool that has been traded in before, some blocks ago. */
async function swapped(from: Address | 'ETH', to: Address | 'ETH') {
  const later = () => chain.rpc('evm_increaseTime', [60]);
  await later();
  await swappedOnce(from, to);
  await later();
  return swappedOnce(from, to);
}

/** Quotes, signs and sends; the two figures of gas. */
async function swappedOnce(from: Address | 'ETH', to: Address | 'ETH') {
  const token = (address: Address | 'ETH') =>
    address === 'ETH' ? { address: weth, isNative: true } : { address, isNative: false };
  const wallet = await newWallet(chain);
  if (from !== 'ETH') {
    await give(from, wallet.address);
    const approval = call(from, 'token', 'approve', [contracts.router, 10n * ETHER]);
    await wallet.send({ to: from, data: approval.data ?? '0x', value: '0', gasLimit: '100000' });
  }
  const trade = { tokenIn: token(from), tokenOut: token(to), amountIn: ETHER };
  const quoted = await quote(uniswapNodeAt(chain.url), trade, soon());
  const terms = {
    sender: wallet.address,
    recipient: wallet.address,
    minAmountOut: quoted.amountOut,
    deadline: 2n ** 40n,
  };
  const { to: router, data, value } = swapCall(uniswapChain('local'), quoted, terms);
  const { succeeded, gasUsed } = await wallet.send({
    to: router,
    data,
    value: String(value),
    gasLimit: '3000000',
  });
  expect(succeeded).toBe(true);
  return { kinds: quoted.hops.map(({ type }) => type).join(' '), gas: quoted.gas, gasUsed };
}

describe('the estimate of gas is within 15 % of what the swap uses,', () => {
  it.each([
    ['v2', [v2]],
    ['v3', [v3]],
    ['v2 v2', [v2, v2]],
    ['v3 v3', [v3, v3]],
    ['v2 v3', [v2, v3]],
    ['v3 v2', [v3, v2]],
  ] as const)('through %s, from and to tokens and ETH', async (kinds, [first, second]) => {
    const [a, b] = (await newTokens(chain, 2)) as [Address, Address];
    await chain.send(second ? [first(a, alpha), second(alpha, b)] : [first(a, b)]);
    const figures = [await swapped(a, b)];
    if (second) {
      const [c, d] = (await newTokens(chain, 2)) as [Address, Address];
      await chain.send([first(c, weth), second(weth, d)]);
      figures.push(await swapped(c, d));
    } else {
      const [c, d] = (await newTokens(chain, 2)) as [Address, Address];
      await chain.send([first(weth, c), first(d, weth)]);
      figures.push(await swapped('ETH', c), await swapped(d, 'ETH'));
    }
    for (const { gas, gasUsed, ...quoted } of figures) {
      expect(quoted.kinds).toBe(kinds);
      expect(Number(gas) / Number(gasUsed)).toBeGreaterThan(0.85);
      expect(Number(gas) / Number(gasUsed)).toBeLessThan(1.15);
    }
  });
});

it('the estimate of gas of a wrap and an unwrap is about what they use', async () => {
  const wallet = await newWallet(chain);
  const [native, wrapped] = [
    { address: weth, isNative: true },
    { address: weth, isNative: false },
  ];
  const used = async (functionName: string, args: readonly bigint[], value: bigint) => {
    const { data = '0x' } = call(weth, 'weth', functionName, args);
    const payload = { to: weth, data, value: String(value), gasLimit: '100000' };
    return Number((await wallet.send(payload)).gasUsed);
  };
  const node = uniswapNodeAt(chain.url);
  const wrap = await quote(node, { tokenIn: native, tokenOut: wrapped, amountIn: ETHER }, soon());
  const unwrap = await quote(node, { tokenIn: wrapped, tokenOut: native, amountIn: ETHER }, soon());

  expect(Number(wrap.gas) / (await used('deposit', [], ETHER))).toBeCloseTo(1, 1);
  expect(Number(unwrap.gas) / (await used('withdraw', [ETHER / 2n], 0n))).toBeCloseTo(1, 1);
});
