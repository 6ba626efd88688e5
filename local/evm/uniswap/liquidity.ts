/** Uniswap on a local chain: test tokens and pools with known liquidity, as transactions of the deployer. */
import type { Address, Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import { DEPLOYER, ETHER, sendAll, type Transaction } from '../json-rpc.ts';
import { artifact, type ContractName } from './artifacts.ts';
import { contracts, deployContracts } from './deploy.ts';

/** Two tokens and the amount of each, in base units: the ratio is the price. */
export interface Liquidity {
  readonly tokens: readonly [Address, Address];
  readonly amounts: readonly [bigint, bigint];
}

const FOREVER = 2n ** 64n;
const UNLIMITED = 2n ** 256n - 1n;
const MAX_TICK = 887_272;
const tickSpacings: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };

export function call(
  to: Address,
  name: ContractName,
  functionName: string,
  args: readonly unknown[],
  value = 0n,
): Transaction {
  return { to, value, data: encodeFunctionData({ abi: artifact(name).abi, functionName, args }) as Hex };
}

/** Allows the V2 router and the V3 position manager to take a token from the deployer. */
export function approvals(token: Address): Transaction[] {
  return [contracts.v2Router, contracts.positions].map((spender) =>
    call(token, 'token', 'approve', [spender, UNLIMITED]),
  );
}

/** Adds the 0.01 % tier, which the factory does not start with. */
export function enableLowestTier(): Transaction {
  return call(contracts.v3Factory, 'v3Factory', 'enableFeeAmount', [100, 1]);
}

export function addV2({ tokens: [a, b], amounts: [amountA, amountB] }: Liquidity): Transaction {
  const args = [a, b, amountA, amountB, 0n, 0n, DEPLOYER, FOREVER];
  return call(contracts.v2Router, 'v2Router', 'addLiquidity', args);
}

/** Creates a V3 pool of a tier, or adds liquidity to it, over `ticks` or the whole range. */
export function addV3(
  fee: number,
  liquidity: Liquidity,
  ticks?: readonly [lower: number, upper: number],
): Transaction {
  const [first, second] = [0, 1].sort((a, b) => (tokenOf(a) < tokenOf(b) ? -1 : 1)) as [0 | 1, 0 | 1];
  function tokenOf(index: number): bigint {
    return BigInt(liquidity.tokens[index === 0 ? 0 : 1]);
  }
  const token0 = liquidity.tokens[first];
  const token1 = liquidity.tokens[second];
  const amount0 = liquidity.amounts[first];
  const amount1 = liquidity.amounts[second];
  const spacing = tickSpacings[fee] ?? 1;
  const widest = Math.floor(MAX_TICK / spacing) * spacing;
  const [tickLower, tickUpper] = ticks ?? [-widest, widest];
  const { abi } = artifact('positions');
  const create = encodeFunctionData({
    abi,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [token0, token1, fee, squareRoot((amount1 << 192n) / amount0)],
  });
  const position = { token0, token1, fee, tickLower, tickUpper, recipient: DEPLOYER, deadline: FOREVER };
  const amounts = { amount0Desired: amount0, amount1Desired: amount1, amount0Min: 0n, amount1Min: 0n };
  const mint = encodeFunctionData({ abi, functionName: 'mint', args: [{ ...position, ...amounts }] });
  return call(contracts.positions, 'positions', 'multicall', [[create, mint]]);
}

function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

const { weth, alpha, beta, gamma } = contracts;

/** Pools between ETH at 2,000 alpha and the other tokens; the best are V3 0.05 % and V3 0.3 %. */
const pools = (): Transaction[] => [
  addV2({ tokens: [weth, alpha], amounts: [100n * ETHER, 200_000n * ETHER] }),
  addV2({ tokens: [alpha, beta], amounts: [50_000n * ETHER, 25_000n * ETHER] }),
  addV3(100, { tokens: [weth, alpha], amounts: [5n * ETHER, 10_000n * ETHER] }),
  addV3(500, { tokens: [weth, alpha], amounts: [500n * ETHER, 1_000_000n * ETHER] }),
  addV3(3000, { tokens: [weth, alpha], amounts: [200n * ETHER, 400_000n * ETHER] }),
  addV3(10_000, { tokens: [weth, alpha], amounts: [20n * ETHER, 40_000n * ETHER] }),
  addV3(500, { tokens: [alpha, beta], amounts: [100_000n * ETHER, 50_000n * ETHER] }),
  addV3(3000, { tokens: [weth, gamma], amounts: [100n * ETHER, 1_000n * ETHER] }),
];

export async function deployUniswap(url: string): Promise<void> {
  await deployContracts(url);
  await sendAll(url, DEPLOYER, [
    call(weth, 'weth', 'deposit', [], 5_000n * ETHER),
    ...[weth, alpha, beta, gamma].flatMap(approvals),
    enableLowestTier(),
    ...pools(),
  ]);
}
