/** Coins that go on as another coin, and coins that had another symbol before. */
import { ApiError } from '../http/errors.ts';
import type { RegistryEntry } from './entries.ts';
import { symbolKey } from './fold.ts';
import type { RegistryLookups } from './lookups.ts';
import type { FormerSymbol, RegistryManifest, Successor } from './manifest.ts';

/** The other coin of a replacement. */
export interface RelatedCoin {
  readonly coin: RegistryEntry;
  /** The units of the new coin that replace one of the old. */
  readonly ratio: number;
  /** Whether the new coin existed beside the old one, and took it over. */
  readonly isMerger: boolean;
}

/** A coin found by a symbol that it, or the coin that it replaced, had before. */
export interface FormerlyNamed {
  readonly entry: RegistryEntry;
  /** The coin with the symbol, if it is another one. */
  readonly predecessor: RelatedCoin | undefined;
}

/** The coin as which another goes on. */
export function successorOf(id: string, registry: RegistryLookups): RelatedCoin | undefined {
  const found = successorsOf(registry.manifest).find(({ from }) => from === id);
  return found && related(found.to, found, registry);
}

/** The coin that this one has replaced; the first of several. */
export function predecessorOf(id: string, registry: RegistryLookups): RelatedCoin | undefined {
  const found = successorsOf(registry.manifest).find(({ to }) => to === id);
  return found && related(found.from, found, registry);
}

/** The active, ranked coin that a symbol stood for before; only for a symbol that no active, ranked coin has now. */
export function coinOfFormerSymbol(symbol: string, registry: RegistryLookups): FormerlyNamed | null {
  if (registry.resolveSymbol(symbol) !== null) return null;
  for (const coin of registry.searchBySymbol(symbol)) {
    const successor = successorOf(coin.id, registry);
    if (successor && isTraded(successor.coin))
      return { entry: successor.coin, predecessor: { ...successor, coin } };
  }
  const key = symbolKey(symbol);
  const coins = formerSymbolsOf(registry.manifest).flatMap((former) => {
    const coin = symbolKey(former.symbol) === key ? registry.getById(former.id) : null;
    return coin && isTraded(coin) ? [coin] : [];
  });
  const [entry] = coins.sort((one, other) => one.rank - other.rank);
  return entry ? { entry, predecessor: undefined } : null;
}

/** The coins after and before a coin as fields of a response, as far as there are any. */
export function relatedFields(id: string, before: RelatedCoin | undefined, registry: RegistryLookups) {
  const after = successorOf(id, registry);
  return { ...(after && { successor: fieldsOf(after) }), ...(before && { predecessor: fieldsOf(before) }) };
}

function fieldsOf({ coin: { id, symbol, name }, ratio }: RelatedCoin) {
  return { id, symbol, name, ratio };
}

/**
 * The coin whose amounts and prices are those of a former symbol; undefined without one. Throws 404 if it replaced the coin with the
 * symbol at another ratio than one to one.
 */
export function equalCoin(symbol: string, registry: RegistryLookups): FormerlyNamed | undefined {
  const former = coinOfFormerSymbol(symbol, registry);
  if (!former) return undefined;
  const { entry, predecessor } = former;
  if (!predecessor || predecessor.ratio === 1) return former;
  const { coin, ratio } = predecessor;
  const next = asNew(coin, { ...predecessor, coin: entry });
  throw ApiError.notFound(
    `${symbolAndId(coin)} continued as ${next}; give ${ratio} times the amount of ${entry.id}`,
  );
}

/** `MATIC (matic-polygon)`. */
export function symbolAndId({ symbol, id }: RegistryEntry): string {
  return `${symbol.trim()} (${id})`;
}

/** `MATIC (matic-polygon) continued as POL (pol-polygon-ecosystem-token)`, with the ratio of the swap unless it is one to one. */
export function successionText(id: string, registry: RegistryLookups): string | undefined {
  const coin = registry.getById(id);
  const successor = coin && successorOf(id, registry);
  return successor ? `${symbolAndId(coin)} continued as ${asNew(coin, successor)}` : undefined;
}

/** `AAVE (aave-new), 1 LEND for 0.01 AAVE`. */
export function asNew(old: RegistryEntry, { coin, ratio }: RelatedCoin): string {
  const swap = ratio === 1 ? '' : `, 1 ${old.symbol.trim()} for ${ratio} ${coin.symbol.trim()}`;
  return `${symbolAndId(coin)}${swap}`;
}

function related(
  id: string,
  { ratio, isMerger = false }: Successor,
  registry: RegistryLookups,
): RelatedCoin | undefined {
  const coin = registry.getById(id);
  return coin ? { coin, ratio, isMerger } : undefined;
}

function isTraded({ is_active, rank }: RegistryEntry): boolean {
  return is_active && rank > 0;
}

function successorsOf({ successors }: RegistryManifest): readonly Successor[] {
  return rowsOf(successors).filter(
    ({ from, to, ratio }) => typeof from === 'string' && typeof to === 'string' && Number(ratio) > 0,
  );
}

export function formerSymbolsOf({ formerSymbols }: RegistryManifest): readonly FormerSymbol[] {
  return rowsOf(formerSymbols).filter(
    ({ symbol, id }) => typeof symbol === 'string' && typeof id === 'string',
  );
}

/** Opening a manifest leaves these lists unchecked: wrong rows must not cost the registry. */
function rowsOf<Row extends object>(rows: readonly Row[] | undefined): readonly Row[] {
  return Array.isArray(rows) ? rows.filter((row) => typeof row === 'object' && row !== null) : [];
}
