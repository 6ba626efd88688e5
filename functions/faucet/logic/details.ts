import type { Address } from '../../../shared/evm/values.ts';
import type { Fees } from './signer.ts';

/** What it takes to sign a committed transfer anew, to know it when it is mined, and to give its claim back. */
export interface Details {
  readonly requestId: string;
  readonly to: Address;
  readonly amount: bigint; // in wei
  /** Of the newest version. */
  readonly fees: Fees;
  /** Of every version that was ever committed, the newest last. One of them at most is mined: they share a nonce. */
  readonly hashes: readonly string[];
  /** The client, as its grants are counted; and when, in ms since the epoch. */
  readonly client: string;
  readonly claimedAt: number;
}

/** As a text of the ledger's row; bigints are decimal texts. */
export function writeDetails(details: Details): string {
  return JSON.stringify(details, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}

type Written = Omit<Details, 'amount' | 'fees'> & {
  readonly amount: string;
  readonly fees: Readonly<Record<keyof Fees, string>>;
};

export function readDetails(text: string): Details {
  const { amount, fees, ...same } = JSON.parse(text) as Written; // by `writeDetails`
  return {
    ...same,
    amount: BigInt(amount),
    fees: {
      gas: BigInt(fees.gas),
      maxFeePerGas: BigInt(fees.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas),
    },
  };
}
