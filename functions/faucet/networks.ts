import type { ChainName } from '../../shared/chains.ts';

/** A network's faucet. Amounts in wei. */
interface FaucetNumbers {
  /** The variable that holds its private key. */
  readonly keySecret: string;
  /** One grant. */
  readonly amount: bigint;
  /**
   * The most that one transfer may pay in fees. For a wallet (25,200 units of gas), 3 × 10^16 allows a price of 595
   * gwei, with room for it to double.
   */
  readonly maxFee: bigint;
  /** The most granted in a UTC day. Gas comes on top: at most `maxFee` per grant. */
  readonly perDay: bigint;
  /** An address with at least this balance gets nothing. */
  readonly enough: bigint;
}

/** The owner of the faucet's rows in the shared table. */
export const FAUCET_ROWS = 'faucet';

export const ETHER = 10n ** 18n;

/** The test networks that have one, in the order in which error messages list them. */
export const faucets = {
  sepolia: {
    keySecret: 'SEPOLIA_FAUCET_KEY',
    amount: ETHER / 100n,
    maxFee: (3n * ETHER) / 100n,
    perDay: ETHER,
    enough: ETHER / 20n,
  },
  local: {
    keySecret: 'LOCAL_FAUCET_KEY',
    amount: ETHER,
    maxFee: (3n * ETHER) / 100n,
    perDay: 1_000n * ETHER,
    enough: 100_000n * ETHER, // the node's own accounts have 10,000
  },
} as const satisfies Partial<Record<ChainName, FaucetNumbers>>;

export type FaucetNetwork = keyof typeof faucets;
export const faucetNames = Object.keys(faucets) as FaucetNetwork[]; // the type follows from the same table
