import {
  array,
  instant,
  instantOrNull,
  type JsonObject,
  label,
  numberOrNull,
  object,
  text,
} from '../platform/json-fields.ts';
import { messageOf } from '../platform/message-of.ts';
import { lifetimes } from './freshness.ts';
import type { Agreement } from './sources/market.ts';

const NUMBERS = ['rank', 'circulating_supply', 'total_supply', 'max_supply', 'beta_value'] as const;
const USD_NUMBERS = [
  'price',
  'volume_24h',
  'volume_24h_change_24h',
  'market_cap',
  'market_cap_change_24h',
  'percent_change_15m',
  'percent_change_30m',
  'percent_change_1h',
  'percent_change_6h',
  'percent_change_12h',
  'percent_change_24h',
  'percent_change_7d',
  'percent_change_30d',
  'percent_change_1y',
  'ath_price',
  'percent_from_price_ath',
] as const;

type Numbers<Names extends readonly string[]> = Record<Names[number], number | null>;

/** The ticker of the route, and its JSON. Prices and amounts in USD, changes in percent, times in ISO 8601 UTC. */
export interface Ticker extends Numbers<typeof NUMBERS> {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly first_data_at: string | null;
  readonly last_updated: string | null;
  readonly quotes: {
    readonly USD: Numbers<typeof USD_NUMBERS> & {
      readonly ath_date: string | null;
      /** When the oldest of the figures was made, if some are older than the price; otherwise null. */
      readonly figures_at: string | null;
    };
  };
  /** Null if no market is known to trade the coin, and in a provider's own ticker. */
  readonly sources: Agreement | null;
}

/** Unknown figures in USD, for a price without a provider's ticker. */
export const noFigures: Ticker['quotes']['USD'] = {
  ...numbers({}, USD_NUMBERS),
  ath_date: null,
  figures_at: null,
};

/** A row of a list: its coin's id, or its position without one. */
export interface LeftOut {
  readonly row: string;
  readonly why: string;
}

/** A sentence about a row that was left out; providers' ids may have any length. */
export function describeLeftOut({ row, why }: LeftOut): string {
  return `${row.slice(0, 100)}: ${why}`;
}

export interface TickerList {
  /** Each coin once. */
  readonly tickers: readonly Ticker[];
  /** Rows that are malformed or implausible. */
  readonly unreadable: readonly LeftOut[];
}

/** When the provider made it, in milliseconds since the epoch, if stated. */
export function tickerMadeAt({ last_updated }: Ticker): number | undefined {
  return last_updated === null ? undefined : Date.parse(last_updated);
}

/** Whether it was already old when it was fetched (ms since the epoch), or has no time. */
export function isOldTicker(ticker: Ticker, fetchedAt: number): boolean {
  return (tickerMadeAt(ticker) ?? Number.NEGATIVE_INFINITY) < fetchedAt - lifetimes.ticker.oldAfterMs;
}

/** Takes the fields of a ticker from its JSON and leaves out all others; throws an Error naming a wrong field. */
export function readTicker(json: unknown): Ticker {
  const source = object(json, 'the ticker');
  const usd = object(object(source.quotes, 'quotes').USD, 'quotes.USD');
  return {
    id: text(source, 'id'),
    name: label(source, 'name'),
    symbol: label(source, 'symbol'),
    ...numbers(source, NUMBERS),
    first_data_at: instantOrNull(source, 'first_data_at'),
    last_updated: source.last_updated == null ? null : instant(source, 'last_updated'),
    quotes: {
      USD: {
        ...numbers(usd, USD_NUMBERS),
        ath_date: instantOrNull(usd, 'ath_date'),
        figures_at: instantOrNull(usd, 'figures_at'),
      },
    },
    sources: null,
  };
}

function numbers<const Names extends readonly string[]>(source: JsonObject, names: Names): Numbers<Names> {
  // The entries are exactly the names.
  return Object.fromEntries(names.map((name) => [name, numberOrNull(source, name)])) as Numbers<Names>;
}

/** Reads a list of tickers row by row. Throws an Error if it is no list. */
export function readTickers(json: unknown, read: (row: unknown) => Ticker = readTicker): TickerList {
  const tickers = new Map<string, Ticker>();
  const unreadable: LeftOut[] = [];
  for (const [position, row] of array(json, 'the list of tickers').entries()) {
    try {
      const ticker = read(row);
      if (tickers.has(ticker.id)) throw new Error('its id came before');
      tickers.set(ticker.id, ticker);
    } catch (error) {
      const why = messageOf(error);
      unreadable.push({ row: nameOf(row, position), why });
    }
  }
  return { tickers: [...tickers.values()], unreadable };
}

function nameOf(row: unknown, position: number): string {
  const id = typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined;
  return typeof id === 'string' ? id : `row ${position}`;
}
