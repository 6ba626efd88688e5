import type { ChainName } from '../../shared/evm/chains.ts';

interface FaucetTerms {
  /** The variable that holds the private key. */
  readonly keySecret: string;
  /** The amount of one grant, in wei. */
  readonly amount: bigint;
}

/** The networks with a faucet, in the order in which a caller is told them. */
export const faucetNetworks = ['sepolia', 'local'] as const satisfies readonly ChainName[];
export type FaucetNetwork = (typeof faucetNetworks)[number];

export const faucets: Readonly<Record<FaucetNetwork, FaucetTerms>> = {
  sepolia: { keySecret: 'SEPOLIA_FAUCET_KEY', amount: 10n ** 16n },
  local: { keySecret: 'LOCAL_FAUCET_KEY', amount: 10n ** 18n },
};
