import type { Address } from 'viem';

export interface Chain {
  readonly name: string;
  readonly chainId: number;
  /** Its native token is worth nothing: the only kind of chain on which this service may sign. */
  readonly testnet: boolean;
  readonly nativeSymbol: string;
  readonly wrappedNative: Address;
  /** The variable that holds the node's URL: a secret, because it carries the provider's key. */
  readonly rpcUrlSecret: string;
}

/** In the order in which error messages list them. */
export const chainNames = ['mainnet', 'base', 'arbitrum', 'sepolia', 'local'] as const;
export type ChainName = (typeof chainNames)[number];

/** The chains that the protocol routes know. A protocol has a table of its own for the rest, such as its contracts. */
export const chains: Readonly<Record<ChainName, Chain>> = {
  mainnet: {
    name: 'mainnet',
    chainId: 1,
    testnet: false,
    nativeSymbol: 'ETH',
    wrappedNative: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    rpcUrlSecret: 'MAINNET_RPC_URL',
  },
  base: {
    name: 'base',
    chainId: 8453,
    testnet: false,
    nativeSymbol: 'ETH',
    wrappedNative: '0x4200000000000000000000000000000000000006',
    rpcUrlSecret: 'BASE_RPC_URL',
  },
  arbitrum: {
    name: 'arbitrum',
    chainId: 42_161,
    testnet: false,
    nativeSymbol: 'ETH',
    wrappedNative: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
    rpcUrlSecret: 'ARBITRUM_RPC_URL',
  },
  sepolia: {
    name: 'sepolia',
    chainId: 11_155_111,
    testnet: true,
    nativeSymbol: 'ETH',
    wrappedNative: '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14',
    rpcUrlSecret: 'SEPOLIA_RPC_URL',
  },
  /** A node on this machine (`npm start -- --chain local`, tests). */
  local: {
    name: 'local',
    chainId: 31_337,
    testnet: true,
    nativeSymbol: 'ETH',
    wrappedNative: '0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35',
    rpcUrlSecret: 'LOCAL_RPC_URL',
  },
};
