import { ApiError } from '../../../shared/http/errors.ts';
import { published, tickersAtHand } from '../../../shared/marketdata/serve/current.ts';
import type { CurrentTicker } from '../../../shared/marketdata/serve/current-ticker.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import { openedRegistry } from '../../../shared/registry/container.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import { coinOfSymbol, type RegistryLookups } from '../../../shared/registry/lookups.ts';
import { foundItem, type Item, type Miss } from './answer.ts';

export interface Answered {
  readonly results: Item[];
  readonly tickers: readonly CurrentTicker[];
}

/** A coin that was asked for, or why it is none. */
type Asked = { readonly asked?: string; readonly coin: RegistryEntry } | Miss;

/** The coins with these ids, in their order. Without a registry those of the snapshot are known. */
export async function byIds(environment: Environment, ids: readonly string[]): Promise<Answered> {
  const registry = openedRegistry();
  if (!registry) return ofSnapshot(environment, ids);
  return answered(
    environment,
    ids.map((id): Asked => {
      const coin = registry.getById(id);
      return coin ? { coin } : { id, error: ApiError.unknownCoin(id).message };
    }),
  );
}

/** The coins that the registry's rule gives for these symbols, in their order. */
export function bySymbols(
  environment: Environment,
  symbols: readonly string[],
  registry: RegistryLookups,
): Promise<Answered> {
  return answered(
    environment,
    symbols.map((asked): Asked => {
      const coin = coinOfSymbol(asked, registry);
      return coin ? { asked, coin } : { asked, error: `Unknown symbol: ${asked}` };
    }),
  );
}

async function ofSnapshot(environment: Environment, ids: readonly string[]): Promise<Answered> {
  const snapshot = await currentSnapshot(environment);
  const now = Date.now();
  return collected(ids.map((id) => ({ id, found: published(snapshot, id, now) })));
}

async function answered(environment: Environment, all: readonly Asked[]): Promise<Answered> {
  const known = all.flatMap((one) => ('coin' in one ? [one.coin] : []));
  const found = (await tickersAtHand(environment, known)).values();
  return collected(
    all.map((one) => {
      if (!('coin' in one)) return one;
      const { asked, coin } = one;
      return { asked, id: coin.id, found: found.next().value };
    }),
  );
}

type Looked =
  | Miss
  | { readonly asked?: string | undefined; readonly id: string; readonly found: CurrentTicker | undefined };

function collected(all: readonly Looked[]): Answered {
  const tickers: CurrentTicker[] = [];
  const results = all.map((one): Item => {
    if ('error' in one) return one;
    const { asked, id, found } = one;
    if (!found) return { ...(asked !== undefined && { asked }), id, error: notAtHand(id) };
    tickers.push(found);
    return foundItem(found, asked);
  });
  return { results, tickers };
}

function notAtHand(id: string): string {
  return `No ticker of ${id} is at hand; GET /api/marketdata/ticker/${encodeURIComponent(id)} asks for it`;
}
