/** What a simulation is told, and what it tells. */
import type { Trouble } from './counting-provider.ts';
import type { Tally } from './tally.ts';

/**
 * `ttl`: a cache in each container and no more; `fleet`: table, leases and quota; `snapshot`: tickers of one request
 * too; `history`: and charts of our own history; `sources`: and what exchanges and a source of token prices tell.
 */
export type Strategy = 'ttl' | 'fleet' | 'snapshot' | 'history' | 'sources';
export type TableTrouble = 'none' | 'down' | 'slow';

export interface Scenario {
  readonly strategy: Strategy;
  readonly requestsPerDay: number;
  readonly containers: number;
  /** Simulates an nth of the requests on an nth of the containers, for all coins and the whole budget; 1: all. */
  readonly sample: number;
  readonly warmUpDays: number;
  /** The same for all days of the warm-up but the last: weeks of it would take hours. `sample` unless told. */
  readonly warmUpSample?: number;
  /** Coins of a higher rank are no longer traded; all are unless told. */
  readonly active?: number;
  readonly zipfExponent: number;
  /** By hour of the measured day. */
  readonly troubleAt?: (hour: number) => Trouble;
  readonly tableTroubleAt?: (hour: number) => TableTrouble;
  /** Whether S3 cannot be reached. */
  readonly isStoreDownAt?: (hour: number) => boolean;
}

export interface Outcome extends Tally {
  /** Of the measured day, all coins. */
  readonly upstream: number;
  /** Sent since midnight, at the end of each hour from 0 to 24. */
  readonly upstreamByHour: readonly number[];
  /** The largest number of any day, and whether a day or the month took more than its budget. */
  readonly worstDay: number;
  readonly isOverBudget: boolean;
  readonly tableCalls: number;
  readonly containersSeen: number;
  /** The same for a part of the requests, by `groupOf`. */
  readonly byGroup: Readonly<Record<string, Tally>>;
  /** Upstream requests of each day since the beginning. */
  readonly perDay: readonly number[];
  /** Coins that the backfill has never asked for; undefined without our own history. */
  readonly left: number | undefined;
  /** Requests to other sources on the measured day, and those of them that these found to be too many. */
  readonly asked: Readonly<Record<string, number>>;
  readonly tooMany: Readonly<Record<string, number>>;
  /** Coins with a market, and coins in the tail, at the end. */
  readonly mapped: number;
  readonly priced: number;
}

/** Requests that CoinPaprika answers in a month. */
export const MONTHLY = 20_000;
/** Of the longest month; in a shorter one a day gets no more. */
export const A_DAY = Math.floor(MONTHLY / 31);
