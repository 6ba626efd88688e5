/** The real contracts, compiled by their authors, from npm. Development only: their licences are GPL and BUSL. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const v3 = (name: string, path = name) => `v3-periphery/artifacts/contracts/${path}.sol/${name}.json`;
const files = {
  weth: 'v2-periphery/build/WETH9.json',
  token: 'v2-core/build/ERC20.json',
  v2Factory: 'v2-core/build/UniswapV2Factory.json',
  v2Pair: 'v2-core/build/UniswapV2Pair.json',
  v2Router: 'v2-periphery/build/UniswapV2Router02.json',
  v3Factory: 'v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  v3Pool: 'v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json',
  router: 'swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
  quoter: v3('QuoterV2', 'lens/QuoterV2'),
  positions: v3('NonfungiblePositionManager'),
  multicall: v3('UniswapInterfaceMulticall', 'lens/UniswapInterfaceMulticall'),
} as const;

export type ContractName = keyof typeof files;

export function artifact(name: ContractName): Artifact {
  const file = createRequire(import.meta.url).resolve(`@uniswap/${files[name]}`);
  const { abi, bytecode } = JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; bytecode: string };
  return { abi, bytecode: (bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`) as Hex };
}
