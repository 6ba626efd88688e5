/** The port between market data and those who provide it: everything that differs from one provider to the next. */
import { ApiError } from '../http/errors.ts';
import type { Environment, EnvironmentName } from '../platform/environment.ts';
import type { HttpAnswer } from '../platform/transport.ts';
import type { RegistryEntry } from '../registry/types.ts';
import type { Candle, PricePoint } from './candles.ts';
import type { Ticker, TickerList } from './ticker.ts';
import type { Window } from './window.ts';

/** Data as a provider gave it, with what callers are told about it. */
export interface Received<T> {
  readonly data: T;
  /** The provider's name, or `simulated`. */
  readonly source: string;
  /** When the provider made the data, in milliseconds since the epoch. */
  readonly madeAt: number;
}

/** One request to a provider, and how its answer is read. */
export interface ProviderRequest<T> {
  /** Path and query below the provider's base URL. */
  readonly path: string;
  /** Requests with the same key share one answer; the path by default. */
  readonly key?: string;
  /** Throws an Error that says what is wrong with the JSON's shape, or an ApiError for a refusal that comes as a 200. */
  read(json: unknown): T;
  /** When the data was made, if it says so itself. */
  madeAt?(data: T): number | undefined;
  /** For the text of a 404. */
  readonly coinId?: string;
}

export type Quote = 'usd' | 'btc';

/** A part of one coin's history in base candles. */
export interface HistoryQuery {
  readonly id: string;
  readonly quote: Quote;
  readonly window: Window;
}

/** Everything that a provider may offer; each entry makes the request for it. */
export interface Offers {
  ticker(id: string): ProviderRequest<Ticker>;
  /** The tickers of all coins, or of as many as the plan includes. */
  tickers(): ProviderRequest<TickerList>;
  /** The provider's own candles of a window, ascending. Fails with PlanRefusal if the plan has none so old. */
  candles(query: HistoryQuery): ProviderRequest<Candle[]>;
  /** Prices from a moment (ms since the epoch) to the window's end, ascending. Fails as `candles` does. */
  prices(query: HistoryQuery, from: number): ProviderRequest<PricePoint[]>;
  /** All coins that the provider knows. */
  coins(): ProviderRequest<readonly RegistryEntry[]>;
}
export type Offer = keyof Offers;

/** An answer other than a 200 or a 429. */
export type RefusedAnswer = Pick<HttpAnswer, 'status' | 'body'>;

export interface MarketDataProvider extends Partial<Offers> {
  /** As `x-data-source` tells it; lower-case letters and digits. */
  readonly name: string;
  /** As error texts tell it. */
  readonly title: string;
  /** A deployer agrees to them by using it. */
  readonly terms: { readonly summary: string; readonly url: string };
  readonly limits: { readonly requestsPerSecond: number };
  /** The environment variables that it reads. */
  readonly settings: { readonly baseUrl: EnvironmentName; readonly key?: EnvironmentName };
  /** Below the base URL: a small answer that tells that the provider can be reached. */
  readonly probePath: string;
  endpoint(environment: Partial<Environment>): {
    readonly baseUrl: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** The error that an answer other than 200 and 429 means to a caller. */
  refusal(answer: RefusedAnswer, coinId: string | undefined): ApiError;
}

export type Offering<O extends Offer> = MarketDataProvider & Pick<Offers, O>;

/** The plan that the key pays for does not include what was asked; `since` is the earliest moment that it does. */
export class PlanRefusal extends ApiError {
  readonly since: number | undefined;
  override readonly isLasting = true;

  constructor(title: string, since: number | undefined) {
    super(502, `${title} refused: the provider's plan does not include this history`);
    this.since = since;
  }
}

/** An answer in a container's cache, fresh or not. Times in milliseconds since the epoch. */
export interface Kept<T> extends Received<T> {
  readonly storedAt: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
  /** After a failure: when the provider is asked again. */
  readonly askAgainAt?: number;
}

export interface KeptRequest<T> extends ProviderRequest<T> {
  /** Until when an answer asked for at `askedAt` is fresh (both ms since the epoch). */
  readonly freshUntil: (askedAt: number) => number;
  /** For so long after that it may stand in for a newer one that cannot be had. */
  readonly staleForMs: number;
}

/** A load that requests for the same key share. */
export interface Loading<T> {
  /** Throws as `fetch` does. */
  wait(): Promise<Kept<T>>;
  /** The same, or undefined when `ms` run out first. */
  wait(ms: number): Promise<Kept<T> | undefined>;
  /** True once a request upstream has been paid for. */
  readonly hasStarted: boolean;
}

/** Several instances' memory of one plan's refusals: texts by name. */
export interface PlanMemory {
  recall(): Promise<Readonly<Record<string, string>>>;
  remember(name: string, text: string): Promise<void>;
}

/** One provider, as market data asks it. */
export interface ProviderClient<O extends Offer = never> {
  readonly provider: Offering<O>;
  readonly cache: {
    /** An answer that is kept here, fresh or not. Throws the 404 that was given here less than a minute ago. */
    kept<T>(key: string): Kept<T> | undefined;
  };
  /** Asks, once for all that ask for the same key at the same time, here and in other instances. */
  load<T>(key: string, request: KeptRequest<T>, deadline: number): Loading<T>;
  /**
   * Asks past all caches. Throws PlanRefusal, and ApiError: 404 unknown coin, 429 too many requests, 502 unreachable
   * or unusable answer, 504 no answer by the deadline (ms since the epoch).
   */
  fetch<T>(request: ProviderRequest<T>, deadline: number): Promise<Received<T>>;
  /** All instances' memory of the plan's refusals; undefined if they share nothing. */
  planMemory(): Promise<PlanMemory | undefined>;
}
