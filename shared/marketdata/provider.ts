import { ApiError } from '../http/errors.ts';
import type { Environment, EnvironmentName } from '../platform/environment.ts';
import type { HttpAnswer } from '../platform/transport.ts';
import type { RegistryEntry } from '../registry/entries.ts';
import type { Candle, PricePoint } from './candles.ts';
import type { Market, MarketQuote } from './sources/market.ts';
import type { Contract, TokenHistory, TokenPrice } from './sources/token.ts';
import type { Ticker, TickerList } from './ticker.ts';
import type { BaseInterval, Span } from './window.ts';
/** The port between market data and those who provide it: everything that differs from one provider to the next. */

/** Data as a provider gave it, with what callers are told about it. */
export interface Received<T> {
  readonly data: T;
  /** The provider's name, or `simulated`. */
  readonly source: string;
  /** When the provider made the data, in milliseconds since the epoch. */
  readonly madeAt: number;
  /** Of a ticker that is more than 10 % off the median of at least two markets. */
  readonly quality?: 'disputed' | undefined;
}

/** What a coin is called. */
export type Labels = Pick<RegistryEntry, 'name' | 'symbol'>;

/** The things that are known before a provider is asked. */
export interface Expected<T> {
  /** The last good answer for the same. */
  readonly held?: Received<T> | undefined;
  /** As the coin registry has it; undefined if there is no registry. */
  readonly isActive?: boolean | undefined;
  /** The same, of what the coin is called. */
  readonly labels?: Labels | undefined;
  /** The coin's price now, from elsewhere, in the currency of what is asked for. */
  readonly price?: number | undefined;
}

/** One request to a provider, and how its answer is read. */
export interface ProviderRequest<T> {
  /** Path and query below the provider's base URL. */
  readonly path: string;
  /** Throws an Error that says what is wrong with the answer's shape, or an ApiError for a refusal that comes as a 200. */
  read(json: unknown): T;
  /** When the data was made, if it says so itself. */
  madeAt?(data: T): number | undefined;
  /** For the text of a 404: the coin that is asked about, or the market. */
  readonly coinId?: string;
  /** The gate's look at what was read, which no provider has a say in. Throws Implausible. */
  check?(data: T, expected: Expected<T>): T;
  /** What was asked for, as the text of a refusal tells it; the gate's too. */
  readonly asked?: string;
  /** What it takes of a free provider's pace; 1 unless told. */
  readonly weight?: number;
}

export type Quote = 'usd' | 'btc';

/** A part of one coin's history in base candles. */
export interface HistoryQuery {
  readonly id: string;
  readonly quote: Quote;
  readonly window: Span;
}

/** A plan's requests of this month as the provider counts them, of everybody who asks with the key. */
export interface PlanUsage {
  readonly made: number;
  readonly left: number;
}

/** A part of one market's history in base candles. */
export interface MarketHistoryQuery {
  /** As the exchange names it. */
  readonly market: string;
  readonly window: Span;
}

/** What is told of coins by their ids; each entry makes the request for it. */
export interface CoinOffers {
  ticker(id: string): ProviderRequest<Ticker>;
  /** The tickers of all coins, or of as many as the plan includes. */
  tickers(): ProviderRequest<TickerList>;
  /** The provider's own candles of a window, ascending. Fails with PlanRefusal if the plan has none so old. */
  candles(query: HistoryQuery): ProviderRequest<Candle[]>;
  /** Prices from a moment (ms since the epoch) to the window's end, ascending. Fails as `candles` does. */
  prices(query: HistoryQuery, from: number): ProviderRequest<PricePoint[]>;
  /** What the provider counts of the key's plan; undefined if that has no limit. For those who have a key. */
  usage(): ProviderRequest<PlanUsage | undefined>;
  /** All coins that the provider knows. */
  coins(): ProviderRequest<readonly RegistryEntry[]>;
}
export type CoinOffer = keyof CoinOffers;

/** One euro in other currencies, on one day. */
export interface DayRates {
  /** The day of the rates, `2026-11-20`. */
  readonly day: string;
  /** By ISO 4217 code in capitals, in decimal figures as the provider wrote them; without the euro itself. */
  readonly rates: Readonly<Record<string, string>>;
}

/** A coin in a list of another provider's. */
export interface ListedCoin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** `chain:address`, as sources of token prices name them; those that are known. */
  readonly contracts: readonly string[];
}

/** In USD; null if it is not known. */
export interface ListedPrice {
  readonly id: string;
  readonly price: number | null;
  readonly marketCap: number | null;
}

/** Everything that a provider may offer. */
export interface Offers extends CoinOffers {
  /** All markets of an exchange, closed ones too. */
  markets(): ProviderRequest<readonly Market[]>;
  /** What the last trades in these markets were; one request tells `limits.quotes` of them, and leaves out the silent. */
  quotes(markets: readonly string[]): ProviderRequest<readonly MarketQuote[]>;
  /**
   * An exchange's own candles of a window, ascending, in the market's quote; an interval without a trade has none.
   * Volume and market cap are null: one market's are not the coin's.
   */
  marketCandles(query: MarketHistoryQuery): ProviderRequest<Candle[]>;
  /** Chains of which contracts are known, as the provider names them. */
  platforms(): ProviderRequest<readonly string[]>;
  /** The contracts of a chain. */
  contracts(platform: string): ProviderRequest<readonly Contract[]>;
  /** Prices of tokens, each `chain:address`; those that nobody knows are missing. */
  tokenPrices(tokens: readonly string[]): ProviderRequest<readonly TokenPrice[]>;
  /** Their prices at the end of each day of a window, ascending by time. */
  tokenHistory(tokens: readonly string[], window: Span): ProviderRequest<readonly TokenHistory[]>;
  /** One euro in other currencies, on the last day that has rates. */
  rates(): ProviderRequest<DayRates>;
  /** The same of all days that have had rates, in any order. */
  pastRates(): ProviderRequest<readonly DayRates[]>;
  /** All coins of a list with ids of its own. */
  listedCoins(): ProviderRequest<readonly ListedCoin[]>;
  /** A page of their prices, the largest market cap first; pages count from 1. */
  listedPrices(page: number): ProviderRequest<readonly ListedPrice[]>;
}
export type Offer = keyof Offers;

/** How the answers of a provider are written. */
export interface AnswerFormat {
  /** As error texts tell it. */
  readonly name: string;
  /** Finds it in a content type. */
  readonly type: RegExp;
  /** Throws SyntaxError for what is not written so, and an Error that says what it does not take. */
  parse(text: string): unknown;
}

/** An answer other than a 200 or a 429. */
export type RefusedAnswer = Pick<HttpAnswer, 'status' | 'body'>;

/** By kind of history and base interval; Infinity: all that there is. */
export type PlanReach = Readonly<Record<'candles' | 'prices', Readonly<Record<BaseInterval, number>>>>;

export interface MarketDataProvider extends Partial<Offers> {
  /** As `x-data-source` tells it; lower-case letters and digits. */
  readonly name: string;
  /** As error texts tell it. */
  readonly title: string;
  /** A deployer agrees to them by using it. */
  readonly terms: { readonly summary: string; readonly url: string };
  /** Its requests cost nothing of the month's budget, and all instances together keep to `requestsPerSecond`. */
  readonly isFree?: true;
  readonly limits: {
    /** Of one instance; of a free provider, the weight of all instances' requests together. */
    readonly requestsPerSecond: number;
    /** The rows of history that one request gives at most. */
    readonly rows: { readonly candles: number; readonly prices: number };
    /** The latest of them, which every plan gives that gives them at all. */
    readonly latest: { readonly candles: number; readonly prices: number };
    /** The markets that one request of quotes tells, of those who offer them. */
    readonly quotes?: number | 'all';
  };
  /**
   * How far back the plan reaches that key and settings stand for, in milliseconds: what is older is not asked for.
   * Undefined: nothing is known to be refused.
   */
  reach?(environment: Partial<Environment>): PlanReach;
  /** The environment variables that it reads. */
  readonly settings: {
    readonly baseUrl: EnvironmentName;
    readonly key?: EnvironmentName;
    /** The plan that the key pays for. */
    readonly plan?: EnvironmentName;
  };
  /** Below the base URL: a small answer that tells that the provider can be reached. */
  readonly probePath: string;
  endpoint(environment: Partial<Environment>): {
    readonly baseUrl: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** JSON unless told. */
  readonly format?: AnswerFormat;
  /** What an answer's status should be, of a provider that says in the body of a 200 what went wrong. */
  statusOf?(answer: RefusedAnswer): number;
  /** The error that an answer other than 200 and 429 means to a caller; a 429 if it says that a limit is reached. */
  refusal(answer: RefusedAnswer, asked: Pick<ProviderRequest<unknown>, 'coinId' | 'asked'>): ApiError;
}

export type Offering<O extends Offer> = MarketDataProvider & Pick<Offers, O>;

/** The plan that the key pays for does not include what was asked, in the provider's own words. */
export class PlanRefusal extends ApiError {
  override readonly isLasting = true;
  /** The earliest moment that the plan does include. */
  readonly since: number | undefined;

  constructor(message: string, { since }: { readonly since?: number | undefined } = {}) {
    super(502, message);
    this.since = since;
  }
}

/** An answer that cannot be used, whatever the provider says to other requests. */
export class UnusableAnswer extends ApiError {
  constructor(message: string) {
    super(502, message);
  }
}
