import type { ChainName } from '../../shared/evm/chains.ts';

/** The networks with a faucet, in the order in which a caller is told them. */
export const faucetNetworks = ['sepolia', 'local'] as const satisfies readonly ChainName[];
export type FaucetNetwork = (typeof faucetNetworks)[number];

/** The variable that holds a network's private key, and the amount of one grant in wei. */
export const faucets = {
  sepolia: { keySecret: 'SEPOLIA_FAUCET_KEY', amount: 10n ** 16n },
  local: { keySecret: 'LOCAL_FAUCET_KEY', amount: 10n ** 18n },
} as const satisfies Record<FaucetNetwork, { keySecret: string; amount: bigint }>;
