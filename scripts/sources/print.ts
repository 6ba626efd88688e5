import type { MappedMarket } from '../../shared/marketdata/sources/source-map.ts';
import type { Sources } from './read.ts';

/** Times in ISO 8601. */
export interface Summary {
  readonly publishedAt: string;
  /** Of the last snapshot that was compared; null: none yet. */
  readonly snapshotAt: string | null;
  /** Markets of the map by exchange. */
  readonly exchanges: Readonly<Record<string, number>>;
  /** By rank. */
  readonly coins: readonly {
    readonly coin: string;
    readonly markets: readonly (Pick<MappedMarket, 'exchange' | 'market' | 'quote'> & {
      readonly since: string;
    })[];
  }[];
}

export function summaryOf({ map: { coins, state, at }, tickers }: Sources): Summary {
  const rankOf = (coin: string) => tickers.get(coin)?.rank || Number.POSITIVE_INFINITY;
  const all = [...coins.values()].flat();
  return {
    publishedAt: isoTime(at),
    snapshotAt: state.takenAt === null ? null : isoTime(state.takenAt),
    exchanges: Object.fromEntries(
      state.exchanges.map(({ exchange }) => [
        exchange,
        all.filter((one) => one.exchange === exchange).length,
      ]),
    ),
    coins: [...coins]
      .toSorted(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
      .map(([coin, markets]) => ({
        coin,
        markets: markets.map((one) => ({ ...one, since: isoTime(one.since) })),
      })),
  };
}

/** The map for people, a line for each coin. */
export function mapText({ publishedAt, snapshotAt, exchanges, coins }: Summary): string {
  const counts = Object.entries(exchanges).map(([exchange, count]) => `${exchange} ${count}`);
  const width = Math.max(0, ...coins.map(({ coin }) => coin.length));
  const lines = coins.map(({ coin, markets }) => {
    const named = markets.map(({ exchange, market }) => `${exchange} ${market}`);
    return `${coin.padEnd(width)}  ${named.join(', ')}`;
  });
  const head = `${coins.length} coins have a market (${counts.join(', ')}), published at ${publishedAt}`;
  const compared = snapshotAt
    ? `compared with the snapshot of ${snapshotAt}`
    : 'compared with no snapshot yet';
  return [`${head}, ${compared}`, ...lines].join('\n');
}

export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
