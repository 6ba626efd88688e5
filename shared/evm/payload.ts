import type { Address } from './address.ts';

/** An unsigned transaction as routes answer it: amounts as decimal text. */
export interface Payload {
  readonly to: Address;
  readonly data: string;
  /** In wei. */
  readonly value: string;
  readonly gasLimit: string;
}
