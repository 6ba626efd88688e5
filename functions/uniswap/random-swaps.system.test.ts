import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { DEPLOYER, type Transaction } from '../../local/evm/json-rpc.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import { addV2, addV3, call, type Liquidity } from '../../local/evm/uniswap/liquidity.ts';
import { newOddToken, newShareToken, rebased } from '../../test/evm/odd-tokens.ts';
import { newWallet, type Wallet } from '../../test/evm/wallet.ts';
import { seededRandom } from '../../test/random.ts';
import { isLong } from '../../test/setup/long.ts';
import {
  balanceOf,
  sendApproval,
  UNLIMITED,
  type UniswapRoutes,
  uniswapRoutes,
} from './fixtures/uniswap.testing.ts';
import type { SwapData } from './swap.ts';

/** `npm run test:long` has enough of them to meet every kind. */
const SWAPS = isLong ? 300 : 8;
const SEED = 20_261_122;
const SHARES_SUPPLY = 10n ** 30n;
const { weth, alpha, router } = contracts;

/** The kinds that many random swaps must include. */
const KINDS = [
  ...['native', 'taxed', 'Tether-like', 'shares'].flatMap((trait) => [`${trait} in`, `${trait} out`]),
  ...['v2', 'v3', 'mixed', 'reset', 'moved, delivered', 'moved, reverted'],
];

interface TestToken {
  readonly address: Address | 'ETH';
  /** In base units; pools hold some dozens of it. */
  readonly unit: bigint;
  readonly traits: readonly Trait[];
}

type Trait = 'native' | 'taxed' | 'Tether-like' | 'shares';

const random = seededRandom(SEED);
const below = (limit: number) => Math.floor(random() * limit);
const happens = (probability: number) => random() < probability;
function oneOf<T>(list: readonly [T, ...T[]]): T {
  return list[below(list.length)] ?? list[0];
}
const part = (amount: bigint, least: number, most: number) =>
  (amount * BigInt(Math.round((least + random() * (most - least)) * 1e9))) / 1_000_000_000n;

let chain: LocalChain;
let routes: UniswapRoutes;
const tokens: [TestToken, ...TestToken[]] = [{ address: 'ETH', unit: ETHER, traits: ['native'] }];

beforeAll(async () => {
  chain = await startLocalChain();
  routes = await uniswapRoutes(chain.url);
  tokens.push({ address: weth, unit: ETHER, traits: [] }, { address: alpha, unit: ETHER, traits: [] });
  // The deployer makes the other trades.
  await chain.send([weth, alpha].map((token) => call(token, 'token', 'approve', [router, UNLIMITED])));
  for (const taxBps of isLong ? [0, 0, 200, 1000, 5000] : [0, 200]) {
    for (const [index, decimals] of (isLong ? [0, 6, 18, 24] : [6, 24]).entries()) {
      const isTetherLike = index % 2 === Math.floor(tokens.length / 4) % 2;
      const address = await newOddToken(chain, { taxBps, decimals, isTetherLike });
      const unit = decimals === 0 ? 100_000n : 10n ** BigInt(decimals);
      const traits = [taxBps > 0 ? 'taxed' : [], isTetherLike ? 'Tether-like' : []].flat() as Trait[];
      tokens.push({ address, unit, traits });
    }
  }
  for (let made = 0; made < (isLong ? 3 : 1); made += 1) {
    tokens.push({ address: await newShareToken(chain), unit: ETHER, traits: ['shares'] });
  }
  for (const token of tokens.slice(3)) await chain.send(poolsOf(token));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await chain.close();
});

/** Pools with WETH or alpha or both, in V2, V3 or both, each with a random depth. */
function poolsOf({ address, unit, traits }: TestToken): Transaction[] {
  if (address === 'ETH') return [];
  const others = oneOf<readonly Address[]>([[weth], [alpha], [weth, alpha], [weth, alpha]]);
  return others.flatMap((other) => {
    const liquidity = (): Liquidity => ({
      tokens: [address, other],
      amounts: [part(unit, 20, 100), part(ETHER, 20, 100)],
    });
    // The position manager rejects tokens that round; a V3 pool of a token with a transfer fee is a trap.
    const versions = traits.includes('shares')
      ? ['v2']
      : oneOf(traits.includes('taxed') ? [['v2'], ['v2', 'v3']] : [['v2'], ['v3'], ['v2', 'v3']]);
    return versions.map((version) =>
      version === 'v2' ? addV2(liquidity()) : addV3(oneOf([500, 3000, 10_000]), liquidity()),
    );
  });
}

interface Planned {
  readonly tokenIn: TestToken;
  readonly tokenOut: TestToken;
  readonly amount: bigint;
  readonly wallet: Wallet;
  readonly recipient: Address;
}

/** A trade of a wallet that has the input, but no allowance. */
async function plan(wallets: readonly [Wallet, ...Wallet[]]): Promise<Planned> {
  const tokenIn = happens(0.1) ? tokens[0] : oneOf(tokens);
  const others = tokens.filter((token) => token !== tokenIn) as [TestToken, ...TestToken[]]; // all but one of many
  const tokenOut = happens(0.1) ? others[0] : oneOf(others);
  const amount = part(tokenIn.unit, 0.001, 3);
  const [wallet, recipient] = [oneOf(wallets), oneOf(wallets).address];
  if (tokenIn.address !== 'ETH') {
    // Shares lose value by rounding and by a later rebase.
    const given = tokenIn.traits.includes('shares') ? amount * 2n : amount;
    await chain.send([call(tokenIn.address, 'token', 'transfer', [wallet.address, given])]);
  }
  return { tokenIn, tokenOut, amount, wallet, recipient };
}

const tradeOf = ({ tokenIn, tokenOut }: Planned, amount: bigint) => ({
  tokenIn: tokenIn.address,
  tokenOut: tokenOut.address,
  amount: String(amount),
  maxPriceImpactBps: 10_000,
});

async function approve({ tokenIn, amount, wallet }: Planned): Promise<boolean> {
  if (tokenIn.address === 'ETH') return false;
  // Sometimes more than is used, so that some of the allowance is left for the next approval.
  const approved = happens(0.4) ? 2n * amount : amount;
  const body = { token: tokenIn.address, amount: String(approved), owner: wallet.address };
  const approval = await routes.ask('approve', body);
  expect(await sendApproval(wallet, approval)).toMatchObject({ succeeded: true });
  return approval.reset !== null;
}

/** Another trader makes the same trade, or shares change their value. */
async function disturb(planned: Planned): Promise<void> {
  const { tokenIn, tokenOut, amount } = planned;
  const shares = [tokenIn, tokenOut].find(({ traits }) => traits.includes('shares'));
  if (shares && shares.address !== 'ETH' && happens(0.5)) {
    return chain.send([rebased(shares.address, part(SHARES_SUPPLY, 0.99, 1.01))]);
  }
  const others = {
    ...tradeOf(planned, part(amount, 0.01, 0.5) + 1n),
    recipient: DEPLOYER,
    slippageBps: 5000,
  };
  const answer = await routes.post('swap', others);
  if (answer.status !== 200) return;
  const { to, data, value } = (answer.body as { data: SwapData }).data; // of a 200
  await chain.send([{ to, data: data as Hex, value: BigInt(value) }]);
}

it(`of ${SWAPS} random swaps each delivers its minimum or reverts`, { timeout: 240_000 }, async () => {
  const wallets = [await newWallet(chain), await newWallet(chain), await newWallet(chain)] as const;
  const counts = new Map<string, number>();
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

  for (let sent = 0; sent < SWAPS; ) {
    const planned = await plan(wallets);
    const { tokenIn, tokenOut, amount, wallet, recipient } = planned;
    const approvesFirst = happens(0.6);
    let hasReset = approvesFirst && (await approve(planned));
    const slippageBps = oneOf([0, 0, 10, 100, 500, 2000]);
    const body = { ...tradeOf(planned, amount), sender: wallet.address, recipient, slippageBps };
    const answer = await routes.post('swap', body);
    if (answer.status !== 200) {
      count(`refused with ${answer.status}`);
      continue;
    }
    const swap = (answer.body as { data: SwapData }).data; // of a 200
    if (!approvesFirst) hasReset = await approve(planned);
    const isMoved = happens(0.3);
    if (isMoved) await disturb(planned);
    const got = tokenOut.address === 'ETH' ? 'native' : tokenOut.address;
    const before = await balanceOf(chain, got, recipient);

    const { succeeded, cost } = await wallet.send(swap);

    const gasPaid = got === 'native' && recipient === wallet.address ? cost : 0n;
    const arrived = (await balanceOf(chain, got, recipient)) + gasPaid - before;
    expect(arrived, swap.summary).toBeGreaterThanOrEqual(succeeded ? BigInt(swap.minAmountOut) : 0n);
    if (!succeeded) expect(arrived, swap.summary).toBe(0n);
    if (!isMoved) {
      expect(succeeded, swap.summary).toBe(true);
      expect(arrived, swap.summary).toBe(BigInt(swap.quote.amountOut));
    }
    sent += 1;
    count(`${isMoved ? 'moved, ' : ''}${succeeded ? 'delivered' : 'reverted'}`);
    if (hasReset) count('reset');
    const versions = new Set(swap.quote.route.map(({ type }) => type));
    count(versions.size > 1 ? 'mixed' : ([...versions][0] ?? 'wrapped'));
    for (const trait of tokenIn.traits) count(`${trait} in`);
    for (const trait of tokenOut.traits) count(`${trait} out`);
  }

  console.log(`seed ${SEED}:`, Object.fromEntries([...counts].sort()));
  expect(counts.get('delivered')).toBeGreaterThanOrEqual(SWAPS / 2);
  if (isLong) for (const kind of KINDS) expect(counts.get(kind), kind).toBeGreaterThan(SWAPS / 50);
});
