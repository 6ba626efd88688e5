import type { Api } from './api.ts';
import type { Conversion } from './currency/conversion.ts';
import type { Rates } from './currency/rates.ts';
import type { FailureContext } from './failure.ts';
import type { LastSearch } from './last-search.ts';
import type { FailureResult } from './result.ts';
import type { Tickers } from './tickers.ts';

/** What a command runs with. */
export interface RunContext extends FailureContext {
  readonly api: Api;
  readonly rates: Rates;
  readonly tickers: Tickers;
  /** Left out, numbers are symbols. */
  readonly lastSearch?: LastSearch;
  /** Whether the price of a single coin comes with its week. */
  readonly wantsWeek?: boolean;
  /** For commands without `--currency`; left out, and if it gives undefined, they are told in US dollars. */
  readonly usualConversion?: () => Promise<Conversion | FailureResult | undefined>;
}
