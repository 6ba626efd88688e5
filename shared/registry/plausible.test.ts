import { describe, expect, it } from 'vitest';
import { buildRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { lies, nextDay } from '../../test/registry/provider-lists.ts';
import type { RegistryEntry } from './entries.ts';
import { openIndexBytes } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import { implausibleChange, implausibleCounts, implausibleList } from './plausible.ts';

const good = simulatedEntries(2000);
const registry = open(good);
const dozen = good.filter(({ rank }) => rank > 0 && rank <= 12);

function open(entries: readonly RegistryEntry[]): RegistryLookups {
  const { bytes, manifest } = buildRegistry(entries, { source: 'test' });
  return new RegistryLookups(openIndexBytes(bytes, manifest));
}
const change = (entries: readonly RegistryEntry[]) => implausibleChange(open(entries), registry);
/** The good list with another text or flag in the first coins. */
const withFirst = (count: number, changed: Partial<RegistryEntry>) =>
  good.map((entry, index) => (index < count ? { ...entry, ...changed } : entry));

describe('a list after the last good one', () => {
  it('is plausible if it is the same, or that of the next day', () => {
    expect(change(good)).toBeUndefined();
    expect(change(nextDay(good))).toBeUndefined();
  });

  it('is implausible with each lie, and says why', () => {
    const reasons = Object.fromEntries(lies.map(([flaw, tell]) => [flaw, change(tell(good))]));

    for (const reason of Object.values(reasons)) expect(reason).toEqual(expect.any(String));
    expect(reasons).toMatchObject({
      'all coins inactive': 'none of its 2000 entries is active and ranked',
      'empty names': '2000 of its 2000 entries have no name or no symbol',
      'half of the entries': 'it has 1000 entries where the last good list has 2000',
      'all coins active': 'it has 2000 active entries where the last good list has 460',
    });
    expect(reasons['symbols shifted by one']).toMatch(
      /^12 of the 12 best-ranked coins of the last good list are .* another symbol: btc-bitcoin, eth-ethereum, /,
    );
  });

  it.each([
    ['renamed', (_entry: RegistryEntry, index: number) => ({ symbol: `OTHER${index}` })],
    ['under another id', ({ id }: RegistryEntry) => ({ id: `${id}-2` })],
    ['inactive', () => ({ is_active: false })],
    ['nameless', () => ({ name: ' ' })],
  ])('may have three of the twelve best-ranked coins %s, but not four', (_change, changeOf) => {
    const changed = (count: number) =>
      good.map((entry, index) => (index < count ? { ...entry, ...changeOf(entry, index) } : entry));

    expect(dozen).toEqual(good.slice(0, 12));
    expect(change(changed(3))).toBeUndefined();
    expect(change(changed(4))).toMatch(/^4 of the 12 best-ranked coins/);
  });

  it('is not plausible if other coins took the symbols of four of the twelve', () => {
    const taken = good.map((entry, index) =>
      index >= 12 && index < 16 ? { ...entry, symbol: good[index - 12]?.symbol ?? '', rank: 1 } : entry,
    );
    const behind = taken.map((entry, index) => (index < 12 ? { ...entry, rank: entry.rank + 20 } : entry));

    expect(change(behind)).toMatch(/^4 of the 12 best-ranked coins/);
  });

  it('is measured only by a list that is right itself', () => {
    for (const flaw of ['all coins inactive', 'rank 0 for all coins', 'empty names', 'no entries']) {
      const [, tell] = lies.find(([name]) => name === flaw) ?? [];
      const wrong = open(tell?.(good) ?? []);
      expect(implausibleChange(registry, wrong)).toBeUndefined();
      expect(implausibleChange(wrong, wrong)).toEqual(expect.any(String));
    }
  });
});

describe('a list alone', () => {
  it('may have one entry in a hundred without name or symbol', () => {
    expect(implausibleList(open(withFirst(20, { name: '\t' })))).toBeUndefined();
    expect(implausibleList(open(withFirst(21, { name: '\t' })))).toBe(
      '21 of its 2000 entries have no name or no symbol',
    );
    expect(implausibleList(open(withFirst(21, { symbol: '' })))).toEqual(expect.any(String));
  });

  it('may have texts that begin with white space, or outside of ASCII', () => {
    expect(implausibleList(open(withFirst(500, { name: ' \u3000战', symbol: '\u00a0Ω' })))).toBeUndefined();
  });
});

describe('counts', () => {
  const before = { entries: 1000, active: 400, ranked: 300 };

  it.each([
    ['entries', 800, 799],
    ['active', 320, 319],
    ['ranked', 240, 239],
  ] as const)('of %s may drop by a fifth', (name, least, fewer) => {
    expect(implausibleCounts({ ...before, [name]: least }, before)).toBeUndefined();
    expect(implausibleCounts({ ...before, [name]: fewer }, before)).toContain(`it has ${fewer} `);
  });

  it.each([
    ['active', 500, 501],
    ['ranked', 375, 376],
  ] as const)('of %s may rise by a quarter, which makes up for a fifth', (name, most, more) => {
    expect(implausibleCounts({ ...before, [name]: most }, before)).toBeUndefined();
    expect(implausibleCounts({ ...before, [name]: more }, before)).toContain(
      `it has ${more} ${name} entries`,
    );
  });

  it('of entries may rise, because inactive ones are harmless', () => {
    expect(implausibleCounts({ ...before, entries: 5000 }, before)).toBeUndefined();
  });
});
