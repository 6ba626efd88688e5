import type { RangeName } from '../../commands/parse/ranges.ts';
import type { ChartResult, FailureResult } from '../../commands/result.ts';
import type { MarketdataSearchData } from '../../sdk/index.ts';
import type { FeedState } from './feed.ts';
import type { Sort } from './sort.ts';

export type Match = MarketdataSearchData['results'][number];

/** What the screen shows besides the header. */
export type Mode =
  | { readonly kind: 'list' }
  | { readonly kind: 'keys' }
  | {
      readonly kind: 'search';
      readonly query: string;
      readonly matches: readonly Match[];
      readonly index: number;
      /** Such as that nothing was found; empty while matches are shown. */
      readonly told: string;
    }
  | {
      readonly kind: 'chart';
      readonly id: string;
      readonly range: RangeName;
      /** Undefined while it is loaded. */
      readonly result: ChartResult | FailureResult | undefined;
    };

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
