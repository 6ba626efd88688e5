import type {
  DatedAnswer,
  MarketdataOhlcvData,
  MarketdataOhlcvInput,
  MarketdataSearchData,
  RatedAnswer,
} from '../sdk/index.ts';
import type { Api } from './api.ts';
import { coinPaprika } from './providers/coinpaprika.ts';

/** The coin that a symbol or an id stands for. */
export interface Coin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** Other active coins with the same symbol; 0 if the coin was named by its id. */
  readonly alternatives: number;
  readonly isActive: boolean;
}

/** The candles of a chart; the route's own defaults apply to undefined fields. */
export type ChartRange = Omit<MarketdataOhlcvInput, 'id'>;

/** A source of coins and candles, behind routes of the service. */
export interface Provider {
  /** Its name as people write it. */
  readonly label: string;
  readonly freeRequestsPerMonth: number;
  /** The coin of a symbol or id; undefined if there is none. */
  find(api: Api, symbol: string): Promise<Coin | undefined>;
  chart(api: Api, id: string, range: ChartRange): Promise<RatedAnswer<MarketdataOhlcvData>>;
  search(api: Api, query: string, limit: number | undefined): Promise<DatedAnswer<MarketdataSearchData>>;
}

/** The values of `--protocol`: a second provider is one more entry. */
export const providers = { coinpaprika: coinPaprika } as const satisfies Readonly<Record<string, Provider>>;

export type Protocol = keyof typeof providers;

export const protocols = Object.keys(providers) as readonly Protocol[];
export const defaultProtocol: Protocol = 'coinpaprika';
