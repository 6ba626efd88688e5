import type { MarketdataOhlcvData, MarketdataOhlcvInput, MarketdataSearchData } from '../sdk/index.ts';
import type { Coin } from './coins.ts';
import type { Conversion } from './currency.ts';
import type { Line } from './format/text.ts';
import type { Provenance } from './provenance.ts';
import type { SeriesCandle } from './series.ts';
import type { Protocol } from './sources.ts';
import type { RatedTicker } from './tickers.ts';

/** The value of `--currency`, in capitals; undefined if it was not given. */
type CurrencyCode = string;

export type ChartStyle = 'candles' | 'line';

/** The candles of a chart; the route's defaults apply to undefined fields. */
export type ChartRange = Omit<MarketdataOhlcvInput, 'id' | 'currency'>;

export type Command =
  | {
      readonly name: 'price';
      /** At least one. */
      readonly symbols: readonly string[];
      readonly protocol: Protocol;
      readonly currency?: CurrencyCode | undefined;
    }
  | {
      readonly name: 'chart';
      readonly symbol: string;
      /** Symbols or ids of the coins to compare it with. */
      readonly compare: readonly string[];
      readonly protocol: Protocol;
      /** Undefined: whichever suits the data. */
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
  /** The prices in the order of the command; at least one. */
  readonly prices: readonly Priced[];
  /** Requested coins without a price, with the reason. */
  readonly missing: readonly FailureResult[];
  /** Hourly prices of seven days in the shown currency, for a single coin in a front end that shows them. */
  readonly week?: readonly SeriesCandle[] | undefined;
  /** The conversion to the requested currency; undefined: prices are shown as in `data`. */
  readonly conversion?: Conversion | undefined;
}

/** A coin and its price. */
export interface Priced extends RatedTicker {
  readonly coin: Coin;
}

/** The candles of a coin, and its price. */
export interface CoinCandles {
  readonly coin: Coin;
  readonly data: MarketdataOhlcvData;
  readonly provenance: Provenance;
  /** Undefined if there is none. */
  readonly ticker?: RatedTicker | undefined;
}

export interface ChartResult extends CoinCandles {
  readonly kind: 'chart';
  readonly command: CommandOf<'chart'>;
  /** The compared coins in the order of the command. */
  readonly compared: readonly CoinCandles[];
  /** The conversion of current prices to the currency of the candles; undefined: they are in US dollars or bitcoin. */
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

/** `unavailable`: the same command may succeed later. */
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
  /** True if no service was reached. */
  readonly isUnreachable: boolean;
  /** True if this machine is offline. */
  readonly isOffline?: boolean | undefined;
  /** When the same command may succeed, if the service says so. */
  readonly retryAfterSeconds?: number | undefined;
}

/** The outcome of a command line, as data for a front end. */
export type Result = PriceResult | ChartResult | SearchResult | HelpResult | FailureResult;
