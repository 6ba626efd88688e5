import { describe, expect, it } from 'vitest';
import { chainNames, chains } from './chains.ts';
import { parseAddress } from './values.ts';

describe('the chain table', () => {
  it.each(chainNames)('names %s after itself, with a checksummed address', (name) => {
    const { name: own, wrappedNative, rpcUrlSecret } = chains[name];
    expect(own).toBe(name);
    expect(parseAddress('address', wrappedNative)).toBe(wrappedNative);
    expect(rpcUrlSecret).toBe(`${name.toUpperCase()}_RPC_URL`);
  });

  it('has no chain id twice', () => {
    expect(new Set(chainNames.map((name) => chains[name].chainId)).size).toBe(chainNames.length);
  });
});
