import type { Address } from 'viem';
import { getAddress } from 'viem/utils';
import { invalidParameter } from '../http/middleware/input.ts';

export type { Address };

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';

/**
 * The checksummed address; text in one case carries no checksum (EIP-55). Throws 400 naming the parameter, with what is
 * allowed `orElse`.
 */
export function parseAddress(name: string, text: string, orElse = ''): Address {
  if (!ADDRESS.test(text)) {
    throw invalidParameter(name, text, `an address: 0x and 40 hexadecimal digits${orElse}`);
  }
  const address = getAddress(text.toLowerCase() as Address); // its form was checked
  const digits = text.slice(2);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (hasChecksum && text !== address) {
    // The right spelling is not told: if a digit was mistyped, it would be that of a stranger's address.
    throw invalidParameter(name, text, 'an address with a correct checksum (EIP-55), or all in lower case');
  }
  return address;
}

/** As parseAddress, and not the zero address: what is sent there is lost. */
export function parseAccount(name: string, text: string): Address {
  const address = parseAddress(name, text);
  if (address === ZERO_ADDRESS) throw invalidParameter(name, text, 'an address other than the zero address');
  return address;
}
