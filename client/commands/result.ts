import type { MarketdataOhlcvData, MarketdataOhlcvInput, MarketdataSearchData } from '../sdk/index.ts';
import type { Coin } from './coins.ts';
import type { Conversion } from './currency.ts';
import type { Line } from './format/text.ts';
import type { Provenance } from './provenance.ts';
import type { SeriesCandle } from './series.ts';
import type { Protocol } from './sources.ts';
import type { KnownTicker } from './tickers.ts';

/** Of `--currency`, in capitals; undefined if it was not given. */
type CurrencyCode = string;

export type ChartStyle = 'candles' | 'line';

/** The candles of a chart; the route's own defaults apply to undefined fields. */
export type ChartRange = Omit<MarketdataOhlcvInput, 'id'>;

export type Command =
  | {
      readonly name: 'price';
      /** One at least. */
      readonly symbols: readonly string[];
      readonly protocol: Protocol;
      readonly currency?: CurrencyCode | undefined;
    }
  | {
      readonly name: 'chart';
      readonly symbol: string;
      /** Symbols or ids of the coins that it is compared with. */
      readonly compare: readonly string[];
      readonly protocol: Protocol;
      /** Undefined: as the data is best shown. */
      readonly style: ChartStyle | undefined;
      readonly range: ChartRange;
      readonly currency?: CurrencyCode | undefined;
    }
  | {
      readonly name: 'search';
      readonly query: string;
      readonly protocol: Protocol;
      readonly limit: number | undefined;
    }
  | { readonly name: 'help'; readonly topic: CommandName | undefined };

export type CommandName = 'price' | 'search' | 'chart' | 'help';

type CommandOf<Name extends Command['name']> = Extract<Command, { readonly name: Name }>;

export interface PriceResult {
  readonly kind: 'price';
  readonly command: CommandOf<'price'>;
  /** In the order of the command; one at least. */
  readonly prices: readonly Priced[];
  /** Coins of several that have no price, with what is wrong. */
  readonly missing: readonly FailureResult[];
  /** Hourly candles of seven days in US dollars, of a single coin for a front end that shows them. */
  readonly week?: readonly SeriesCandle[] | undefined;
  /** To the currency that was asked for; undefined: the prices are shown as they are in `data`. */
  readonly conversion?: Conversion | undefined;
}

/** A coin and its price. */
export interface Priced extends KnownTicker {
  readonly coin: Coin;
}

/** The candles of a coin, and its price. */
export interface CoinCandles {
  readonly coin: Coin;
  readonly data: MarketdataOhlcvData;
  readonly provenance: Provenance;
  /** Undefined if there is none. */
  readonly ticker?: KnownTicker | undefined;
}

export interface ChartResult extends CoinCandles {
  readonly kind: 'chart';
  readonly command: CommandOf<'chart'>;
  /** In the order of the command. */
  readonly compared: readonly CoinCandles[];
  /** To the currency that was asked for; undefined: the prices are shown as they are in `data`. */
  readonly conversion?: Conversion | undefined;
}

export interface SearchResult {
  readonly kind: 'search';
  readonly command: CommandOf<'search'>;
  readonly data: MarketdataSearchData;
  readonly provenance: Provenance;
}

interface HelpResult {
  readonly kind: 'help';
  readonly topic: CommandName | undefined;
}

/** `unavailable`: the same command may succeed a while later. */
export type FailureReason =
  | 'usage'
  | 'not-found'
  | 'rate-limited'
  | 'unavailable'
  | 'unauthorized'
  | 'failed';

export interface FailureResult {
  readonly kind: 'failure';
  readonly reason: FailureReason;
  /** The failure and the next step, in words. */
  readonly lines: readonly Line[];
  /** True if no service was reached at all. */
  readonly isUnreachable: boolean;
  /** True if that is because this machine has no network. */
  readonly isOffline?: boolean | undefined;
  /** Until the same command may succeed, if the service says so. */
  readonly retryAfterSeconds?: number | undefined;
}

/** The outcome of a command line, as data for a front end to show. */
export type Result = PriceResult | ChartResult | SearchResult | HelpResult | FailureResult;
