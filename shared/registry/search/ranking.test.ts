import { expect, test } from 'vitest';
import { buildRegistry } from '../../../registry-layer/build.ts';
import type { RegistryEntry } from '../entries.ts';
import { openRegistryBytes } from '../registry.ts';

function entry(rank: number, symbol = `X${rank}`, name = `Coin ${rank}`): RegistryEntry {
  const id = `${symbol}-${name}`.toLowerCase().replaceAll(' ', '-');
  return { id, symbol, name, rank, is_new: false, is_active: true, type: 'coin' };
}

function firstOf(text: string, ...named: readonly RegistryEntry[]): string | undefined {
  const others = Array.from({ length: 3000 }, (_, index) => entry(index + 1));
  const entries = others.map((each) => named.find(({ rank }) => rank === each.rank) ?? each);
  const { bytes, manifest } = buildRegistry(entries, { source: 'simulated' });
  return openRegistryBytes(bytes, manifest).search(text, 5, {})[0]?.symbol;
}

test('a famous coin whose name begins with the text comes before an obscure one with it as its symbol', () => {
  expect(firstOf('dog', entry(9, 'DOGE', 'Dogecoin'), entry(2948, 'DOG', 'The Dog'))).toBe('DOGE');
});

test('a coin that is known by the symbol comes before more famous ones that begin with it', () => {
  expect(firstOf('eth', entry(2, 'ETH', 'Ethereum'), entry(1, 'ETHFI', 'Ether Fi'))).toBe('ETH');
  expect(firstOf('qnt', entry(90, 'QNT', 'Quant'), entry(20, 'QNTX', 'Quantex'))).toBe('QNT');
});
