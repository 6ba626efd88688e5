/** Coins that were replaced by another coin of the registry, and symbols that coins had earlier: facts that no list states. */
import type { RegistryEntry } from '../shared/registry/entries.ts';
import { symbolKey } from '../shared/registry/fold.ts';
import type { RegistryLookups } from '../shared/registry/lookups.ts';
import type { FormerSymbol, Successor } from '../shared/registry/manifest.ts';
import { formerSymbolsOf } from '../shared/registry/successors.ts';

/** From the projects' own announcements of the swap. `ratio`: the units of the new coin for one of the old. */
const knownSuccessors: readonly Successor[] = [
  { from: 'matic-polygon', to: 'pol-polygon-ecosystem-token', ratio: 1 },
  { from: 'ftm-fantom', to: 's-sonic', ratio: 1 },
  { from: 'eos-eos', to: 'a-vaulta', ratio: 1 },
  { from: 'klay-klaytn', to: 'kaia-kaia', ratio: 1 },
  { from: 'poly-polymath', to: 'polyx-polymesh', ratio: 1 },
  { from: 'mkr-maker', to: 'sky-sky', ratio: 24_000 },
  { from: 'lend-ethlend', to: 'aave-new', ratio: 0.01 },
  { from: 'gal-galxe', to: 'g-gravity', ratio: 60 },
  { from: 'agix-singularitynet', to: 'fetch-ai', ratio: 0.43335, isMerger: true },
];

/** Symbols that coins had under the same id. */
const knownFormerSymbols: readonly FormerSymbol[] = [
  { symbol: 'RNDR', id: 'rndr-render-token' },
  { symbol: 'MIOTA', id: 'miota-iota' },
  { symbol: 'ERD', id: 'egld-elrond' },
  { symbol: 'NANO', id: 'xno-nano' },
  { symbol: 'TOMO', id: 'tomo-tomochain' },
];

/** The newest ones; a symbol changes about once a week among all coins. */
const MAX_FORMER_SYMBOLS = 500;

/** The table's rows whose coins are in a list, for its manifest. */
export function successorsIn(entries: readonly RegistryEntry[]) {
  const active = new Map(entries.map(({ id, is_active }) => [id, is_active]));
  const successors = knownSuccessors.filter(({ from, to }) => active.has(from) && active.get(to) === true);
  const formerSymbols = knownFormerSymbols.filter(({ id }) => active.get(id) === true);
  return {
    ...(successors.length > 0 && { successors }),
    ...(formerSymbols.length > 0 && { formerSymbols }),
  };
}

/**
 * The former symbols of a list's coins: those that the registry before knew, and those that it had for ids whose symbol is another
 * now; the newest first.
 */
export function formerSymbolsAfter(
  next: RegistryLookups,
  known: readonly FormerSymbol[],
  before: RegistryLookups,
): FormerSymbol[] {
  const changed: FormerSymbol[] = [];
  for (let row = 0; row < before.activeCount; row++) {
    const { id, symbol } = before.at(row);
    const now = next.getById(id);
    if (now && symbolKey(symbol) !== '' && symbolKey(now.symbol) !== symbolKey(symbol))
      changed.push({ symbol: symbol.trim(), id });
  }
  const isFormer = ({ symbol, id }: FormerSymbol) => {
    const coin = next.getById(id);
    return coin !== null && symbolKey(coin.symbol) !== symbolKey(symbol); // it may have its old symbol again
  };
  const all = [...changed, ...formerSymbolsOf(before.manifest), ...known].filter(isFormer);
  const bySymbol = new Map<string, FormerSymbol>();
  for (const former of all) {
    const key = JSON.stringify([symbolKey(former.symbol), former.id]);
    if (!bySymbol.has(key)) bySymbol.set(key, former);
  }
  return [...bySymbol.values()].slice(0, MAX_FORMER_SYMBOLS);
}
