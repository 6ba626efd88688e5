import type { Coin } from '../../commands/coins.ts';
import type { RangeName } from '../../commands/parse/table.ts';
import type { ChartResult, FailureResult } from '../../commands/result.ts';
import type { MarketdataSearchData } from '../../sdk/index.ts';
import type { FeedState } from './feed.ts';
import type { Sort } from './sort.ts';

export type Match = MarketdataSearchData['results'][number];

export interface SearchMode {
  readonly kind: 'search';
  readonly query: string;
  readonly matches: readonly Match[];
  /** Of the selected match. */
  readonly index: number;
  /** Such as that nothing was found; empty while matches are shown. */
  readonly told: string;
}

export interface ChartMode {
  readonly kind: 'chart';
  readonly coin: Coin;
  readonly range: RangeName;
  /** Undefined while it is loaded. */
  readonly result: ChartResult | FailureResult | undefined;
}

/** What the screen shows besides the header. */
export type Mode = { readonly kind: 'list' | 'keys' } | SearchMode | ChartMode;

/** All that a frame is drawn from. */
export interface WatchView {
  readonly mode: Mode;
  readonly feed: FeedState;
  readonly sort: Sort;
  /** The id of a row. */
  readonly selected: string | undefined;
  /** What the last key did, in words; empty if that is to be seen. */
  readonly told: string;
  readonly watchlist: readonly string[];
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
  readonly hasColour: boolean;
}

export interface ScreenContext {
  readonly baseUrl: string;
  /** In capitals; undefined: US dollars. */
  readonly currency: string | undefined;
  readonly now: number;
}
