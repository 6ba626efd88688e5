import type {
  DatedAnswer,
  MarketdataOhlcvData,
  MarketdataOhlcvInput,
  MarketdataSearchData,
  RatedAnswer,
} from '../sdk/index.ts';
import type { Api } from './api.ts';

/** The coin that a symbol or an id stands for. */
export interface Coin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** 0 if it is unranked; undefined if that is not known. */
  readonly rank?: number | undefined;
  /** Undefined if that is not known any more. */
  readonly foundBy?: 'symbol' | 'id' | 'name' | undefined;
  /**
   * Other active coins that have what was typed as their symbol; 0 if they need not be told of: this one is far better
   * known, or was named by its id.
   */
  readonly alternatives: number;
  readonly isActive: boolean;
  /** Its number in the list of the last search, if it was named by that. */
  readonly listNumber?: number | undefined;
}

export interface SimilarCoin {
  readonly name: string;
  /** The symbol or id by which a command finds it. */
  readonly typed: string;
}

/** The candles of a chart; the route's own defaults apply to undefined fields. */
export type ChartRange = Omit<MarketdataOhlcvInput, 'id'>;

/** A source of coins and candles, behind routes of the service. */
export interface Provider {
  /** Its name as people write it. */
  readonly label: string;
  readonly freeRequestsPerMonth: number;
  /** The coin of a symbol, an id or a name; undefined if there is none. Rejects as the client does. */
  find(api: Api, text: string): Promise<Coin | undefined>;
  /** The best known coin of a name; undefined if no active, ranked one has it. Rejects as the client does. */
  findNamed(api: Api, name: string): Promise<Coin | undefined>;
  /** At most three coins that may be meant by a text that names none, the likeliest first. Rejects as the client does. */
  similar(api: Api, text: string): Promise<readonly SimilarCoin[]>;
  chart(api: Api, id: string, range: ChartRange): Promise<RatedAnswer<MarketdataOhlcvData>>;
  search(api: Api, query: string, limit: number | undefined): Promise<DatedAnswer<MarketdataSearchData>>;
}
