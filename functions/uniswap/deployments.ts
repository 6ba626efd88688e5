import type { Address } from '../../shared/evm/address.ts';
import type { Chain } from '../../shared/evm/chain.ts';
import { type ChainName, chains } from '../../shared/evm/chains.ts';
import type { Node } from '../../shared/evm/node.ts';

export interface UniswapContracts {
  readonly v2: { readonly factory: Address; readonly router: Address };
  readonly v3: {
    readonly factory: Address;
    readonly quoter: Address;
    /** The first router takes a deadline with each swap, `02` with the whole call. */
    readonly router: { readonly kind: 'SwapRouter' | 'SwapRouter02'; readonly address: Address };
    /** Hundredths of a basis point: 3000 is 0.3 %. */
    readonly feeTiers: readonly number[];
  };
  /** Tokens that a route may pass through. */
  readonly intermediates: readonly Address[];
  /** UniswapInterfaceMulticall, which limits the gas of each call in it; without it calls are made one by one. */
  readonly multicall?: Address;
}

export interface UniswapChain extends Chain {
  readonly uniswap: UniswapContracts;
}

export type UniswapNode = Node<UniswapChain>;

const FEE_TIERS = [100, 500, 3000, 10_000];

/** The first V3 contracts, at the same addresses on several chains. */
const firstV3: UniswapContracts['v3'] = {
  factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
  quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
  router: { kind: 'SwapRouter', address: '0xE592427A0AEce92De3Edee1F18E0157C05861564' },
  feeTiers: FEE_TIERS,
};

/** Named so by docs.uniswap.org and Uniswap/sdks (sdk-core/src/addresses.ts); a test derives known pools. */
const deployments: Readonly<Record<ChainName, UniswapContracts>> = {
  mainnet: {
    v2: {
      factory: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
      router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
    },
    v3: firstV3,
    intermediates: [
      '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', // WETH
      '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', // USDC
      '0xdAC17F958D2ee523a2206206994597C13D831ec7', // USDT
      '0x6B175474E89094C44Da98b954EedeAC495271d0F', // DAI
    ],
    multicall: '0x1F98415757620B543A52E61c46B32eB19261F984',
  },
  base: {
    v2: {
      factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    },
    v3: {
      factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      quoter: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
      router: { kind: 'SwapRouter02', address: '0x2626664c2603336E57B271c5C0b26F421741e481' },
      feeTiers: [100, 200, 300, 400, 500, 3000, 10_000], // three of them here only
    },
    intermediates: [
      '0x4200000000000000000000000000000000000006', // WETH
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', // USDC
    ],
    multicall: '0x091e99cb1C49331a94dD62755D168E941AbD0693',
  },
  arbitrum: {
    v2: {
      factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    },
    v3: firstV3,
    intermediates: [
      '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', // WETH
      '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', // USDC
      '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', // USDT
    ],
    multicall: '0xadF885960B47eA2CD9B55E6DAc6B42b7Cb2806dB',
  },
  sepolia: {
    v2: {
      factory: '0xF62c03E08ada871A0bEb309762E260a7a6a880E6',
      router: '0xeE567Fe1712Faf6149d80dA1E6934E354124CfE3',
    },
    v3: {
      factory: '0x0227628f3F023bb0B980b67D528571c95c6DaC1c',
      quoter: '0xEd1f6473345F45b75F8179591dd5bA1888cf2FB3',
      router: { kind: 'SwapRouter02', address: '0x3bFA4769FB09eefC5a80d6E87c3B9C650f7Ae48E' },
      feeTiers: FEE_TIERS,
    },
    intermediates: [
      '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', // WETH
      '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', // USDC
    ],
    multicall: '0xD7F33bCdb21b359c8ee6F0251d30E94832baAd07',
  },
  /** Put there by local/evm/uniswap/. */
  local: {
    v2: {
      factory: '0xA15BB66138824a1c7167f5E85b957d04Dd34E468',
      router: '0xb19b36b1456E65E3A6D514D3F715f204BD59f431',
    },
    v3: {
      factory: '0x8ce361602B935680E8DeC218b820ff5056BeB7af',
      quoter: '0xe1DA8919f262Ee86f9BE05059C9280142CF23f48',
      router: { kind: 'SwapRouter', address: '0xe1Aa25618fA0c7A1CFDab5d6B456af611873b629' },
      feeTiers: FEE_TIERS,
    },
    intermediates: [
      '0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35', // WETH
      '0xf7Cd8fa9b94DB2Aa972023b379c7f72c65E4De9D', // the first of the test tokens
    ],
    multicall: '0xeD1DB453C3156Ff3155a97AD217b3087D5Dc5f6E',
  },
};

/** A chain of the chain table with Uniswap's contracts on it. */
export function uniswapChain(name: ChainName): UniswapChain {
  return { ...chains[name], uniswap: deployments[name] };
}
