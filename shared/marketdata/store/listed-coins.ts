/** The figures of lists, which a snapshot holds beside its rows: parsing 2,000 rows takes 35 ms, these 2. */
import type { Kept } from '../provider.ts';
import { isOldTicker, type Ticker, tickerMadeAt } from '../ticker.ts';
import type { Memory } from './snapshot-memory.ts';

/** The figures of a coin for sorting and totals; amounts in USD, changes in percent. */
export interface ListedCoin {
  readonly id: string;
  /** The rank by market cap, from 1; null: unranked. */
  readonly rank: number | null;
  readonly price: number | null;
  readonly volume: number | null;
  readonly marketCap: number | null;
  /** The market cap at the last price that nobody contradicted. */
  readonly believedCap: number | null;
  readonly change24h: number | null;
  readonly source: string;
  readonly isDisputed: boolean;
  /** Whether an exchange's market agrees with the price. */
  readonly isConfirmed: boolean;
  /** Whether the row was carried over, or was already old when this snapshot was taken. */
  readonly isPast: boolean;
  /** When the source made the price, and the time until which its ticker may be served as stale; milliseconds since the epoch. */
  readonly madeAt: number;
  readonly staleUntil: number;
}

/** The part of a snapshot that lists need. */
export interface Listed {
  readonly text: string;
  /** The ids whose rows cannot be read. */
  readonly damaged: ReadonlySet<string>;
}

type Row = Omit<Kept<Ticker>, 'madeAt' | 'freshUntil'> & { readonly memory?: Memory | undefined };
type Values = ReturnType<typeof valuesOf>;

/** The coins as JSON: an array of values for each. */
export function listedText(rows: readonly Row[], takenAt: number): string {
  const byId = rows.toSorted((a, b) => (a.data.id < b.data.id ? -1 : 1));
  return JSON.stringify(byId.map((row) => valuesOf(row, takenAt)));
}

/** All coins of a snapshot, in the order of their ids. */
export function listedCoins({ text, damaged }: Listed): ListedCoin[] {
  const coins = (JSON.parse(text) as Values[]).map(coinOf); // as `listedText` has written them
  return coins.filter(({ id }) => !damaged.has(id));
}

function valuesOf({ data, source, quality, storedAt, staleUntil, memory }: Row, takenAt: number) {
  const { price, volume_24h, market_cap, percent_change_24h } = data.quotes.USD;
  const isConfirmed = (data.sources?.agreeing ?? 0) > 0;
  const isPast = storedAt < takenAt || isOldTicker(data, storedAt);
  return [
    ...([data.id, data.rank || null, price, volume_24h, market_cap, percent_change_24h] as const),
    ...([source, quality === 'disputed', isConfirmed, isPast, staleUntil] as const),
    ...([tickerMadeAt(data) ?? storedAt, believedCapOf(data, memory)] as const),
  ] as const;
}

/** A disputed price is in no total: the last price that nobody contradicted is, or the one that contradicts it. */
function believedCapOf({ quotes: { USD } }: Ticker, memory: Memory | undefined): number | null {
  const { dispute } = memory ?? {};
  if (!dispute || !USD.price || USD.market_cap === null) return USD.market_cap;
  return (USD.market_cap / USD.price) * (dispute.price ?? dispute.against);
}

function coinOf(values: Values): ListedCoin {
  const [id, rank, price, volume, marketCap, change24h, source, ...others] = values;
  const [isDisputed, isConfirmed, isPast, staleUntil, madeAt, believedCap] = others;
  return {
    ...{ id, rank, price, volume, marketCap, change24h, source },
    ...{ isDisputed, isConfirmed, isPast, staleUntil, madeAt, believedCap },
  };
}
