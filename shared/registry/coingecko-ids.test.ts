import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { coinGeckoIdsIn, coinGeckoIdsName, coinGeckoIdsText } from './coingecko-ids.ts';

const text = coinGeckoIdsText([
  ['eth-ethereum', 'ethereum'],
  ['btc-bitcoin', 'bitcoin'],
]);
const folder = mkdtempSync(join(tmpdir(), 'coingecko-ids-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The module as a new container has it, over a registry that names this table. */
async function container(coinGeckoIds?: string) {
  const { bytes, manifest } = buildRegistry(simulatedEntries(300), { source: 'test' });
  await writeRegistry(folder, { bytes, manifest: { ...manifest, coinGeckoIds } });
  vi.resetModules();
  const { coinGeckoIds: read } = await import('./coingecko-ids.ts');
  return read({});
}

beforeEach(() => {
  vi.stubEnv('REGISTRY_PATH', folder);
});

describe('the table of ids', () => {
  it('is sorted text, a line for each pair, and reads both ways', () => {
    expect(text).toBe('btc-bitcoin\tbitcoin\neth-ethereum\tethereum\n');
    const ids = coinGeckoIdsIn(text);
    expect(ids.size).toBe(2);
    expect(ids.theirs('btc-bitcoin')).toBe('bitcoin');
    expect(ids.ours('ethereum')).toBe('eth-ethereum');
    expect([ids.theirs('bitcoin'), ids.ours('btc-bitcoin'), ids.theirs('constructor')]).toEqual(
      Array(3).fill(undefined),
    );
    expect([...ids.pairs()]).toEqual([
      ['btc-bitcoin', 'bitcoin'],
      ['eth-ethereum', 'ethereum'],
    ]);
  });

  it('leaves out a pair that a line cannot hold, and reads back all others', () => {
    const id = fc.oneof(
      fc.constantFrom('', 'btc-bitcoin', '战旗-战旗', 'a\tb', 'a\nb', 'a\r', '\u2028'),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(id, id), {
          comparator: ([ours, theirs], [otherOurs, otherTheirs]) =>
            ours === otherOurs || theirs === otherTheirs,
        }),
        (pairs) => {
          const read = coinGeckoIdsIn(coinGeckoIdsText(pairs));
          const writable = pairs.filter((pair) => pair.every((one) => one !== '' && !/[\t\n]/.test(one)));
          expect(new Map(read.pairs())).toEqual(new Map(writable));
          expect(read.isWhole).toBe(true);
        },
      ),
    );
  });

  it.each(['btc-bitcoin bitcoin', 'btc-bitcoin\t', '\tbitcoin', 'btc-bitcoin\tbit\tcoin'])(
    'loses a line that is not two ids, and nothing else: %j',
    (line) => {
      const ids = coinGeckoIdsIn(`${line}\n${text}`);
      expect([ids.size, ids.ours('ethereum'), ids.isWhole]).toEqual([2, 'eth-ethereum', false]);
    },
  );

  it('is read from the layer whose manifest names it', async () => {
    const name = coinGeckoIdsName(text);
    writeFileSync(join(folder, name), text);
    expect((await container(name)).theirs('eth-ethereum')).toBe('ethereum');
  });

  it('is empty if none was built', async () => {
    expect((await container()).size).toBe(0);
  });

  it('is empty, without an error, if its file is missing or damaged', async () => {
    const name = coinGeckoIdsName('other\tother\n');
    expect((await container(name)).size).toBe(0);
    writeFileSync(join(folder, name), text);
    expect((await container(name)).size).toBe(0);
  });
});
