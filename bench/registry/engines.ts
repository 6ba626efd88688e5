import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
/** Measured side by side: each engine opens a list its own way and answers queries with ids, best first. */

export interface Engine {
  /** At most 20 ids. */
  search(query: string): string[];
  /** Absent where the engine is the search of a library and nothing else. */
  readonly lookup?: {
    byId(id: string): unknown;
    bySymbol(symbol: string): string | null;
  };
}

export const LIMIT = 20;
/** The list as JSON, in the registry's order, beside the registry of the same list. */
export const LIST_FILE = 'list.json';

/** Opens an engine on the folder that the bench made. Importing its library comes before the time is taken. */
export type Opener = (folder: string) => Engine;

export const openers = {
  registry: async () => {
    const { openRegistry } = await import('../../shared/registry/registry.ts');
    return (folder) => {
      const registry = openRegistry(folder);
      return {
        search: (query) => registry.fuzzySearch(query, LIMIT).map(({ id }) => id),
        lookup: { byId: (id) => registry.getById(id), bySymbol: (symbol) => registry.resolveSymbol(symbol) },
      };
    };
  },
  'JSON.parse + Maps': async () => (folder) => withMaps(readList(folder), substringSearch),
  uFuzzy: async () => {
    const { default: UFuzzy } = await import('@leeoniya/ufuzzy');
    return (folder) =>
      withMaps(readList(folder), (entries) => {
        const texts = UFuzzy.latinize(entries.map(textOf));
        const fuzzy = new UFuzzy({ intraMode: 1 }); // tolerates one error in a word
        return (query) => {
          const [found, , order] = fuzzy.search(texts, UFuzzy.latinize([query])[0] ?? '', 1);
          const rows = order && found ? order.map((at) => found[at] ?? -1) : (found ?? []);
          return idsOf(entries, rows);
        };
      });
  },
  MiniSearch: async () => {
    const { default: MiniSearch } = await import('minisearch');
    return (folder) =>
      withMaps(readList(folder), (entries) => {
        const index = new MiniSearch<RegistryEntry>({
          fields: ['symbol', 'name', 'id'],
          processTerm: withoutAccents,
        });
        index.addAll(entries);
        const options = { prefix: true, fuzzy: 0.2, combineWith: 'AND' } as const;
        return (query) =>
          index
            .search(query, options)
            .slice(0, LIMIT)
            .map(({ id }) => id);
      });
  },
  'Fuse.js': async () => {
    const { default: Fuse } = await import('fuse.js');
    return (folder) =>
      withMaps(readList(folder), (entries) => {
        const options = { keys: ['symbol', 'name', 'id'], ignoreDiacritics: true, ignoreLocation: true };
        const fuse = new Fuse(entries, { ...options, threshold: 0.4 });
        return (query) => fuse.search(query, { limit: LIMIT }).map(({ item }) => item.id);
      });
  },
  fuzzysort: async () => {
    const { default: fuzzysort } = await import('fuzzysort');
    return (folder) =>
      withMaps(readList(folder), (entries) => {
        const options = { keys: ['symbol', 'name', 'id'], limit: LIMIT };
        return (query) => fuzzysort.go(query, entries, options).map(({ obj }) => obj.id);
      });
  },
} as const satisfies Record<string, () => Promise<Opener>>;

export type EngineName = keyof typeof openers;
export const engineNames = Object.keys(openers) as EngineName[];

function readList(folder: string): RegistryEntry[] {
  return JSON.parse(readFileSync(join(folder, LIST_FILE), 'utf8'));
}

/** Needed by every comparison besides its search: the entries in Maps by id and by symbol. */
function withMaps(
  entries: readonly RegistryEntry[],
  searchOf: (entries: readonly RegistryEntry[]) => Engine['search'],
): Engine {
  const ids = new Map(entries.map((entry) => [entry.id, entry]));
  const symbols = new Map<string, RegistryEntry[]>();
  for (const entry of entries) {
    const key = entry.symbol.trim().toLowerCase();
    const same = symbols.get(key);
    if (same) same.push(entry);
    else symbols.set(key, [entry]);
  }
  return {
    search: searchOf(entries),
    lookup: {
      byId: (id) => ids.get(id) ?? null,
      bySymbol: (symbol) => {
        const [first] = symbols.get(symbol.trim().toLowerCase()) ?? [];
        return first?.is_active && first.rank > 0 ? first.id : null;
      },
    },
  };
}

function substringSearch(entries: readonly RegistryEntry[]): Engine['search'] {
  let texts: readonly string[] | undefined;
  return (query) => {
    texts ??= entries.map((entry) => textOf(entry).toLowerCase()); // not part of the load
    const wanted = query.toLowerCase();
    const rows: number[] = [];
    for (let row = 0; row < texts.length && rows.length < LIMIT; row++)
      if (texts[row]?.includes(wanted)) rows.push(row);
    return idsOf(entries, rows);
  };
}

function textOf({ symbol, name, id }: RegistryEntry): string {
  return `${symbol} ${name} ${id}`;
}

function idsOf(entries: readonly RegistryEntry[], rows: readonly number[]): string[] {
  return rows.slice(0, LIMIT).flatMap((row) => entries[row]?.id ?? []);
}

function withoutAccents(term: string): string {
  return term.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
