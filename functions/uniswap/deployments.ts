import { type Chain, type ChainName, chains } from '../../shared/evm/chains.ts';
import type { Node } from '../../shared/evm/node.ts';
import { type Address, GWEI } from '../../shared/evm/values.ts';

/** SwapRouter02, or V2's own router where SwapRouter02 knows another V2 factory. */
export const routerNames = ['SwapRouter02', 'V2Router02'] as const;
export type RouterName = (typeof routerNames)[number];

export interface UniswapContracts {
  /** SwapRouter02, for V3 and for the V2 whose factory it was made with: one approval, and routes may mix the two. */
  readonly router: Address;
  readonly v2: {
    readonly factory: Address;
    /** V2Router02, for where SwapRouter02 knows another V2 factory. */
    readonly router: Address;
  };
  readonly v3: {
    readonly factory: Address;
    readonly quoter: Address;
    /** Hundredths of a basis point: 3000 is 0.3 %. */
    readonly feeTiers: readonly number[];
  };
  /** Tokens that a route may pass through. */
  readonly intermediates: readonly Address[];
  /** UniswapInterfaceMulticall, which limits the gas of each call in it; without it calls are made one by one. */
  readonly multicall?: Address;
  /** The most gas that one eth_call may need: well below what nodes of the chain cap it at (reth, nitro: 50 million). */
  readonly callGas: bigint;
  /** In wei a unit of gas, on top of the base fee, with which a transaction is mined soon. */
  readonly priorityFee: bigint;
}

export interface UniswapChain extends Chain {
  readonly uniswap: UniswapContracts;
}

export type UniswapNode = Node<UniswapChain>;

const CALL_GAS = 25_000_000n;
const FEE_TIERS = [100, 500, 3000, 10_000];

/** The first V3 contracts, at the same addresses on several chains. */
const firstV3: UniswapContracts['v3'] = {
  factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
  quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
  feeTiers: FEE_TIERS,
};
const firstRouter = '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45';

/** Named so by docs.uniswap.org and Uniswap/sdks (sdk-core/src/addresses.ts); a test derives known pools. */
const deployments: Readonly<Record<ChainName, UniswapContracts>> = {
  mainnet: {
    router: firstRouter,
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
      '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', // WBTC
    ],
    multicall: '0x1F98415757620B543A52E61c46B32eB19261F984',
    callGas: CALL_GAS,
    priorityFee: GWEI,
  },
  base: {
    router: '0x2626664c2603336E57B271c5C0b26F421741e481',
    v2: {
      factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    },
    v3: {
      factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      quoter: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
      feeTiers: [100, 200, 300, 400, 500, 3000, 10_000], // three of them here only
    },
    intermediates: [
      '0x4200000000000000000000000000000000000006', // WETH
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', // USDC
    ],
    multicall: '0x091e99cb1C49331a94dD62755D168E941AbD0693',
    callGas: CALL_GAS,
    priorityFee: GWEI / 1000n,
  },
  arbitrum: {
    router: firstRouter,
    v2: {
      factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    },
    v3: firstV3,
    intermediates: [
      '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', // WETH
      '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', // USDC
      '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', // USDT
      '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', // WBTC
      '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', // DAI
      '0x912CE59144191C1204E64559FE8253a0e49E6548', // ARB
    ],
    multicall: '0xadF885960B47eA2CD9B55E6DAc6B42b7Cb2806dB',
    callGas: CALL_GAS,
    priorityFee: 0n,
  },
  sepolia: {
    router: '0x3bFA4769FB09eefC5a80d6E87c3B9C650f7Ae48E',
    v2: {
      factory: '0xF62c03E08ada871A0bEb309762E260a7a6a880E6',
      router: '0xeE567Fe1712Faf6149d80dA1E6934E354124CfE3',
    },
    v3: {
      factory: '0x0227628f3F023bb0B980b67D528571c95c6DaC1c',
      quoter: '0xEd1f6473345F45b75F8179591dd5bA1888cf2FB3',
      feeTiers: FEE_TIERS,
    },
    intermediates: [
      '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', // WETH
      '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', // USDC
    ],
    multicall: '0xD7F33bCdb21b359c8ee6F0251d30E94832baAd07',
    callGas: CALL_GAS,
    priorityFee: GWEI,
  },
  /** Put there by local/evm/uniswap/. */
  local: {
    router: '0xe1Aa25618fA0c7A1CFDab5d6B456af611873b629',
    v2: {
      factory: '0xA15BB66138824a1c7167f5E85b957d04Dd34E468',
      router: '0xb19b36b1456E65E3A6D514D3F715f204BD59f431',
    },
    v3: {
      factory: '0x8ce361602B935680E8DeC218b820ff5056BeB7af',
      quoter: '0xe1DA8919f262Ee86f9BE05059C9280142CF23f48',
      feeTiers: FEE_TIERS,
    },
    intermediates: [
      '0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35', // WETH
      '0xf7Cd8fa9b94DB2Aa972023b379c7f72c65E4De9D', // the first of the test tokens
    ],
    multicall: '0xeD1DB453C3156Ff3155a97AD217b3087D5Dc5f6E',
    callGas: CALL_GAS,
    priorityFee: GWEI,
  },
};

/** A chain of the chain table with Uniswap's contracts on it. */
export function uniswapChain(name: ChainName): UniswapChain {
  return { ...chains[name], uniswap: deployments[name] };
}

/** The contract that a swap calls, and that must be allowed to take the input. */
export function routerAddress({ uniswap }: UniswapChain, router: RouterName): Address {
  return router === 'SwapRouter02' ? uniswap.router : uniswap.v2.router;
}
