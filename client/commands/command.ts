import type { MarketdataOhlcvInput } from '../sdk/index.ts';
import type { Protocol } from './sources.ts';

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
