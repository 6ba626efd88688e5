/** Uniswap's contracts on each chain. */
import { type Chain, type ChainName, chains } from '../../shared/chains.ts';
import type { Node } from '../../shared/evm/node.ts';
import type { Address } from '../../shared/evm/values.ts';

/** SwapRouter02, or V2's own router where SwapRouter02 uses another V2 factory. */
export const routerNames = ['SwapRouter02', 'V2Router02'] as const;
export type RouterName = (typeof routerNames)[number];

export interface UniswapContracts {
  /** SwapRouter02, for V3 and for the V2 whose factory it was built with: one approval, and routes may mix the two. */
  readonly router: Address;
  readonly v2Factory: Address;
  /** V2Router02, for chains where SwapRouter02 uses another V2 factory. */
  readonly v2Router: Address;
  readonly v3Factory: Address;
  readonly quoter: Address;
  /** UniswapInterfaceMulticall, which limits the gas of each of its calls. */
  readonly multicall: Address;
  /** V3 fees in hundredths of a basis point (3000 is 0.3 %), where they differ from the usual ones. */
  readonly feeTiers?: readonly number[];
}

export interface UniswapChain extends Chain {
  readonly uniswap: UniswapContracts;
}

export type UniswapNode = Node<UniswapChain>;

export const FEE_TIERS: readonly number[] = [100, 500, 3000, 10_000];

/** Addresses from docs.uniswap.org and Uniswap/sdks (sdk-core/src/addresses.ts); a test derives known pools. */
const deployments: Readonly<Record<ChainName, UniswapContracts>> = {
  mainnet: {
    router: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
    v2Factory: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
    v2Router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
    v3Factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
    quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
    multicall: '0x1F98415757620B543A52E61c46B32eB19261F984',
  },
  base: {
    router: '0x2626664c2603336E57B271c5C0b26F421741e481',
    v2Factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
    v2Router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    v3Factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
    quoter: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
    multicall: '0x091e99cb1C49331a94dD62755D168E941AbD0693',
    feeTiers: [100, 200, 300, 400, 500, 3000, 10_000],
  },
  arbitrum: {
    router: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
    v2Factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
    v2Router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    v3Factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
    quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
    multicall: '0xadF885960B47eA2CD9B55E6DAc6B42b7Cb2806dB',
  },
  sepolia: {
    router: '0x3bFA4769FB09eefC5a80d6E87c3B9C650f7Ae48E',
    v2Factory: '0xF62c03E08ada871A0bEb309762E260a7a6a880E6',
    v2Router: '0xeE567Fe1712Faf6149d80dA1E6934E354124CfE3',
    v3Factory: '0x0227628f3F023bb0B980b67D528571c95c6DaC1c',
    quoter: '0xEd1f6473345F45b75F8179591dd5bA1888cf2FB3',
    multicall: '0xD7F33bCdb21b359c8ee6F0251d30E94832baAd07',
  },
  local: {
    router: '0xe1Aa25618fA0c7A1CFDab5d6B456af611873b629',
    v2Factory: '0xA15BB66138824a1c7167f5E85b957d04Dd34E468',
    v2Router: '0xb19b36b1456E65E3A6D514D3F715f204BD59f431',
    v3Factory: '0x8ce361602B935680E8DeC218b820ff5056BeB7af',
    quoter: '0xe1DA8919f262Ee86f9BE05059C9280142CF23f48',
    multicall: '0xeD1DB453C3156Ff3155a97AD217b3087D5Dc5f6E',
  },
};

/** A chain of the chain table with Uniswap's contracts on it. */
export function uniswapChain(name: ChainName): UniswapChain {
  return { ...chains[name], uniswap: deployments[name] };
}

/** The contract that a swap calls, and that needs an allowance for the input. */
export function routerAddress({ uniswap }: UniswapChain, router: RouterName): Address {
  return router === 'SwapRouter02' ? uniswap.router : uniswap.v2Router;
}

/** True for a token in the chain's table; these take no transfer fee. */
export function isKnown({ tokens }: Chain, token: Address): boolean {
  return tokens.some(({ address }) => address === token);
}
