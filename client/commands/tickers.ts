import type { MarketdataTickerData, RatedAnswer } from '../sdk/index.ts';
import { type Api, isOlder, type Provenance, provenanceOf } from './provenance.ts';

/** What was last told of a coin's price. */
export interface KnownTicker {
  readonly data: MarketdataTickerData;
  readonly provenance: Provenance;
}

/** A coin of several that has no ticker. */
export interface MissingTicker {
  readonly id: string;
  /** In the words of the service. */
  readonly error: string;
}

/** The newest ticker of each coin that a session was told, so that all that it shows says the same. */
export interface Tickers {
  /** Asks for a ticker; resolves to a newer one that came meanwhile. Rejects as the client does. */
  ask(api: Api, id: string): Promise<KnownTicker>;
  /** The one at hand while it may be used, or on its way; after that asks for it. Rejects as the client does. */
  recent(api: Api, id: string): Promise<KnownTicker>;
  /** Asks for up to 100 coins in one request; the answers are in the order of the ids. Rejects as the client does. */
  askAll(api: Api, ids: readonly string[]): Promise<readonly (KnownTicker | MissingTicker)[]>;
  /** The newest, however old it is. */
  known(id: string): KnownTicker | undefined;
  /** Calls `listener` after a coin's ticker was replaced; returns how to stop. */
  onChange(listener: (id: string) => void): () => void;
}

export function sessionTickers(now: () => number): Tickers {
  const newest = new Map<string, KnownTicker>();
  /** Requests for several coins that have no answer yet, by the coins. */
  const asked = new Map<string, Promise<readonly (KnownTicker | MissingTicker)[]>>();
  const listeners = new Set<(id: string) => void>();

  function keep(id: string, { data, ...told }: RatedAnswer<MarketdataTickerData>): KnownTicker {
    const provenance = provenanceOf({ data, ...told }, now());
    const former = newest.get(id);
    // Another instance's cache may give an older ticker than the last one.
    if (former && isOlder(provenance, former.provenance)) return former;
    const ticker = { data, provenance };
    newest.set(id, ticker);
    for (const listener of listeners) listener(id);
    return ticker;
  }

  async function ask(api: Api, id: string): Promise<KnownTicker> {
    return keep(id, await api.ticker({ id }));
  }

  async function several(
    api: Api,
    ids: readonly string[],
  ): Promise<readonly (KnownTicker | MissingTicker)[]> {
    const { data, headers } = await api.tickers({ ids });
    return data.results.map((item, index) => {
      const id = item.id ?? ids[index] ?? '';
      if ('error' in item) return { id, error: item.error };
      const { ticker, quality, source, dataTime } = item;
      return keep(id, { data: ticker, headers, quality, source, dataTime: new Date(dataTime) });
    });
  }

  const fresh = (id: string) => {
    const known = newest.get(id);
    return known && now() < known.provenance.freshUntil ? known : undefined;
  };

  return {
    ask,
    async recent(api, id) {
      const known = fresh(id);
      if (known) return known;
      await asked.get(id)?.catch(() => undefined);
      return fresh(id) ?? (await ask(api, id));
    },
    async askAll(api, ids) {
      const answers = several(api, ids);
      for (const id of ids) asked.set(id, answers);
      try {
        return await answers;
      } finally {
        for (const id of ids) if (asked.get(id) === answers) asked.delete(id);
      }
    },
    known: (id) => newest.get(id),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
