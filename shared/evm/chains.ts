import type { Chain } from './chain.ts';

/** The names in the order in which a caller is told them. */
export const chainNames = ['mainnet', 'base', 'arbitrum', 'sepolia', 'local'] as const;
export type ChainName = (typeof chainNames)[number];

/** The chains that the protocol routes know. A protocol's own table says more of each (its contracts, say). */
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
