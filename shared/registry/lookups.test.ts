import { expect, test } from 'vitest';
import { builtRegistry } from '../../test/registry/provider-lists.ts';
import { openIndexBytes } from './index-file.ts';
import { hashText, RegistryLookups } from './lookups.ts';

test('hashes ASCII letters without regard to case, and to 32 bits', () => {
  expect(hashText('BTC-Bitcoin')).toBe(hashText('btc-bitcoin'));
  expect(hashText('btc-bitcoin')).toBeLessThan(2 ** 32);
  expect(hashText('btc')).not.toBe(hashText('btd'));
});

test('a look-up ends in a hash table without a free slot, and in a list without its last mark', () => {
  const { bytes, manifest } = builtRegistry(50, 0);
  const opened = openIndexBytes(bytes, manifest);
  const registry = new RegistryLookups(opened);
  const { idSlots, symbolSlots, rowsBySymbol } = opened.lookup;
  idSlots.forEach((value, slot) => {
    idSlots[slot] = value || 1;
  });
  symbolSlots.fill(0x100 | (hashText('btc') & 0xff));
  rowsBySymbol.fill(0);

  expect(registry.isActive('no-such-coin')).toBeUndefined();
  expect(registry.isActive('btc-bitcoin')).toBe(true);
  expect(registry.searchBySymbol('BTC')).toHaveLength(rowsBySymbol.length);
});
