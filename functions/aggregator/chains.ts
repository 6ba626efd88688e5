import { type Chain, chains } from '../../shared/evm/chains.ts';
import type { Address } from '../../shared/evm/values.ts';

/** Those of our chains that 0x serves (docs.0x.org, "Supported chains"); it has no test network. */
export const servedNames = ['mainnet', 'base', 'arbitrum'] as const;
export type ServedName = (typeof servedNames)[number];

/** The contract that takes the tokens and is called to trade them (docs.0x.org, "0x Contracts"). */
const ALLOWANCE_HOLDER: Address = '0x0000000000001fF3684f28c67538d4D072C22734';

export interface ServedChain extends Chain {
  readonly allowanceHolder: Address;
}

export const servedChains: Readonly<Record<ServedName, ServedChain>> = {
  mainnet: { ...chains.mainnet, allowanceHolder: ALLOWANCE_HOLDER },
  base: { ...chains.base, allowanceHolder: ALLOWANCE_HOLDER },
  arbitrum: { ...chains.arbitrum, allowanceHolder: ALLOWANCE_HOLDER },
};
