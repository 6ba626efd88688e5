import type { Address } from './address.ts';

/** An unsigned transaction as routes answer it: amounts as decimal text. */
export interface Payload {
  readonly to: Address;
  readonly data: string;
  /** In wei. */
  readonly value: string;
  readonly gasLimit: string;
}

/** What a payload says of itself, so that it can be checked before it is signed. */
interface SaidOfPayload {
  readonly chainId: number;
  /** The contract that takes the token; null where none is taken. */
  readonly spender: Address | null;
  /** What it does, in one line for a wallet to show. */
  readonly summary: string;
}

export interface ApprovalPayload extends Payload, SaidOfPayload {
  /** Null: for any signer. */
  readonly from: Address | null;
  /** To send first, where the token takes an allowance back before it gives a new one. */
  readonly reset: Payload | null;
}

export interface SwapPayload extends Payload, SaidOfPayload {
  readonly from: Address;
  readonly recipient: Address;
  /** In base units of the output. */
  readonly minAmountOut: string;
}

/** What keeps a payload from succeeding as things are: null each, if nothing does. */
export interface Issues {
  readonly allowance: {
    readonly actual: string;
    readonly required: string;
    readonly spender: Address;
  } | null;
  /** The token by its address, or the native symbol. */
  readonly balance: { readonly token: string; readonly actual: string; readonly required: string } | null;
  /** Why the payload could not be tried. */
  readonly simulation: string | null;
}
