import type { MarketdataTickerData, RatedAnswer } from '../sdk/index.ts';
import { type Api, isOlder, type Provenance, provenanceOf } from './provenance.ts';

/** The latest ticker of a coin. */
export interface RatedTicker {
  readonly data: MarketdataTickerData;
  readonly provenance: Provenance;
}

/** A requested coin without a ticker. */
export interface MissingTicker {
  readonly id: string;
  /** The service's message. */
  readonly error: string;
}

export type Tickers = ReturnType<typeof sessionTickers>;

/** The newest ticker of each coin in a session, so that all views agree. */
export function sessionTickers(now: () => number) {
  const newest = new Map<string, RatedTicker>();
  const listeners = new Set<(id: string) => void>();

  function keep(id: string, { data, ...rating }: RatedAnswer<MarketdataTickerData>): RatedTicker {
    const provenance = provenanceOf({ data, ...rating }, now());
    const former = newest.get(id);
    // Another instance's cache may return an older ticker than the last one.
    if (former && isOlder(provenance, former.provenance)) return former;
    const ticker = { data, provenance };
    newest.set(id, ticker);
    for (const listener of listeners) listener(id);
    return ticker;
  }

  async function fetchOne(api: Api, id: string): Promise<RatedTicker> {
    return keep(id, await api.ticker({ id }));
  }

  return {
    /** Fetches a ticker; resolves to a newer one that arrived meanwhile. Rejects as the client does. */
    fetch: fetchOne,
    /** Returns the cached ticker while it is fresh; otherwise fetches it. Rejects as the client does. */
    async recent(api: Api, id: string): Promise<RatedTicker> {
      const known = newest.get(id);
      return known && now() < known.provenance.freshUntil ? known : await fetchOne(api, id);
    },
    /** Fetches up to 100 coins in one request; results are in the order of the ids. Rejects as the client does. */
    async fetchAll(api: Api, ids: readonly string[]): Promise<readonly (RatedTicker | MissingTicker)[]> {
      const { data, headers } = await api.tickers({ ids });
      return data.results.map((item, index) => {
        const id = item.id ?? ids[index] ?? '';
        if ('error' in item) return { id, error: item.error };
        const { ticker, quality, source, dataTime } = item;
        return keep(id, { data: ticker, headers, quality, source, dataTime: new Date(dataTime) });
      });
    },
    /** The newest ticker, however old. */
    known: (id: string) => newest.get(id),
    /** Calls `listener` after a coin's ticker was replaced; returns a function that unsubscribes. */
    onChange(listener: (id: string) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
