/** Uniswap on a local chain: the contracts, test tokens, and pools with known liquidity. */
import { DEPLOYER, ETHER, sendAll, type Transaction } from '../json-rpc.ts';
import { contracts, deployContracts } from './deploy.ts';
import { addV2, addV3, approvals, call, enableLowestTier } from './liquidity.ts';

const { weth, alpha, beta, gamma } = contracts;

/** Pools between ETH at 2,000 alpha and the other tokens; the best ones are V3 0.05 % and V3 0.3 %. */
const pools: readonly Transaction[] = [
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
    ...pools,
  ]);
}
