import type { ChainName } from '../../shared/evm/chains.ts';

/** The networks with a faucet, in the order in which a caller is told them. */
export const faucetNetworks = ['sepolia', 'local'] as const satisfies readonly ChainName[];
export type FaucetNetwork = (typeof faucetNetworks)[number];

/** A network's faucet. Amounts in wei. */
interface FaucetNumbers {
  /** The variable that holds its private key. */
  readonly keySecret: string;
  /** One grant. */
  readonly amount: bigint;
  /**
   * The most that one transfer is signed for in fees: its gas times its `maxFeePerGas`, which is twice the price. For a
   * wallet (25,200 units) 3 × 10^16 is a price of 595 gwei.
   */
  readonly maxFee: bigint;
  /** The most that is granted in a UTC day, in whole gwei. Gas comes on top: for each grant at most `maxFee`. */
  readonly perDay: bigint;
  /** An address that has so much gets nothing. */
  readonly enough: bigint;
  /**
   * A nonce that was mined so many blocks deep is lost to any other transaction: deeper than any reorganisation, and than
   * any node behind a provider's address lags. Full nodes know the state of the last 128 blocks.
   */
  readonly finalBlocks: number;
}

/** The owner of the faucet's rows in the shared table. */
export const FAUCET_ROWS = 'faucet';

const ETHER = 10n ** 18n;

export const faucets = {
  sepolia: {
    keySecret: 'SEPOLIA_FAUCET_KEY',
    amount: ETHER / 100n,
    maxFee: (3n * ETHER) / 100n,
    perDay: ETHER,
    enough: ETHER / 20n,
    finalBlocks: 32, // an epoch
  },
  local: {
    keySecret: 'LOCAL_FAUCET_KEY',
    amount: ETHER,
    maxFee: (3n * ETHER) / 100n,
    perDay: 1_000n * ETHER,
    enough: 100_000n * ETHER, // the node gives its own accounts 10,000
    finalBlocks: 3,
  },
} as const satisfies Record<FaucetNetwork, FaucetNumbers>;
