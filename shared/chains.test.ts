import { expect, it } from 'vitest';
import { chainNames, chainOfCoin, chains, marketChains } from './chains.ts';
import { parseAddress } from './evm/values.ts';

it.each(chainNames)(
  'the tokens of %s have correct checksums, and the wrapped native token is the first',
  (name) => {
    const { tokens, wrappedNative, nativeSymbol } = chains[name];
    for (const { address } of tokens) expect(parseAddress('address', address)).toBe(address);
    expect(tokens[0]).toMatchObject({ symbol: `W${nativeSymbol}`, address: wrappedNative, decimals: 18 });
  },
);

it('no two rows have one chain id, or one name for sources, platforms or coins', () => {
  const ids = [
    ...chainNames.map((name) => chains[name].chainId),
    ...marketChains.map(({ chainId }) => chainId),
  ];
  const shared = chainNames.filter((name) =>
    marketChains.some(({ chainId }) => chainId === chains[name].chainId),
  );
  const known = ids.filter((id) => id !== null);
  expect(new Set(known).size).toBe(known.length - shared.length);
  for (const part of ['name', 'platform'] as const) {
    expect(new Set(marketChains.map((chain) => chain[part])).size).toBe(marketChains.length);
  }
  expect(chainOfCoin.size).toBe(marketChains.flatMap(({ coins }) => coins).length);
});
