/**
 * What two ways to write a token have in common. Addresses of EVM chains compare without case, which is a checksum there
 * (EIP-55); all others with it: on Solana another case is another token.
 */
export function tokenKey(token: string): string {
  const [chain = '', ...address] = token.split(':');
  const written = address.join(':');
  return `${chain.toLowerCase()}:${/^0x[\da-f]+$/i.test(written) ? written.toLowerCase() : written}`;
}
