import { ApiError } from '../http/errors.ts';
import type { Environment, EnvironmentName } from '../platform/environment.ts';
import type { HttpAnswer } from '../platform/transport.ts';
import type { RegistryEntry } from '../registry/entries.ts';
import type { Candle, PricePoint } from './candles.ts';
import type { ListedMarket, Market, MarketQuote } from './sources/market.ts';
import type { Contract, TokenHistory, TokenPrice } from './sources/token.ts';
import type { Ticker, TickerList } from './ticker.ts';
import type { BaseInterval, Span } from './window.ts';
/** The port between market data and its providers: everything that differs from one provider to the next. */

/** Data from a provider, with its provenance. */
export interface Received<T> {
  readonly data: T;
  /** The provider's name, or `simulated`. */
  readonly source: string;
  /** When the provider made the data, in milliseconds since the epoch. */
  readonly madeAt: number;
  /** Set for a ticker that markets contradict. */
  readonly quality?: 'disputed' | undefined;
}

/** A coin's names. */
export type Labels = Pick<RegistryEntry, 'name' | 'symbol'>;

/** What is known before a request. */
export interface Expected<T> {
  /** The last good data of the same kind. */
  readonly held?: Received<T> | undefined;
  /** The coin's registry entry; undefined without a registry. */
  readonly isActive?: boolean | undefined;
  /** The coin's names in the registry. */
  readonly labels?: Labels | undefined;
  /** The coin's current price from another source, in the requested currency; of a ticker, its last known price. */
  readonly price?: number | undefined;
}

/** One request to a provider, and how to read its response. */
export interface ProviderRequest<T> {
  /** Path and query below the provider's base URL. */
  readonly path: string;
  /** Throws an Error that describes what is wrong with the response's shape, or an ApiError for a refusal sent as a 200. */
  read(json: unknown): T;
  /** When the data was made, if the data says so. */
  madeAt?(data: T): number | undefined;
  /** For the text of a 404: the requested coin or market. */
  readonly coinId?: string;
  /** The gate's check of the data, which providers do not control. Throws Implausible. */
  check?(data: T, expected: Expected<T>): T;
  /** Names the requested data in the text of a refusal, the gate's included. */
  readonly subject?: string;
  /** Its weight at a pace of the whole service; 1 by default. */
  readonly weight?: number;
}

export type Quote = 'usd' | 'btc';

/** A part of one coin's history in base candles. */
export interface HistoryQuery {
  readonly id: string;
  readonly quote: Quote;
  readonly window: Span;
}

/** A plan's requests of this month, as the provider counts them for all users of the key. */
export interface PlanUsage {
  readonly made: number;
  readonly left: number;
}

/** A part of one market's history in base candles. */
export interface MarketHistoryQuery {
  /** The exchange's name of it. */
  readonly market: string;
  readonly window: Span;
}

/** Data of coins by their ids; each entry makes the request for it. */
export interface CoinOffers {
  ticker(id: string): ProviderRequest<Ticker>;
  /** The tickers of all coins, or of as many as the plan includes. */
  tickers(): ProviderRequest<TickerList>;
  /** The provider's own candles of a window, ascending. Fails with PlanRefusal if the plan has none so old. */
  candles(query: HistoryQuery): ProviderRequest<Candle[]>;
  /** Prices from a moment (ms since the epoch) to the window's end, ascending. Fails as `candles` does. */
  prices(query: HistoryQuery, from: number): ProviderRequest<PricePoint[]>;
  /** The provider's count of the key's plan; undefined without a limit. Needs a key. */
  usage(): ProviderRequest<PlanUsage | undefined>;
  /** All coins that the provider knows. Entries that are left out are described to `report`. */
  coins(report?: (text: string) => void): ProviderRequest<readonly RegistryEntry[]>;
}
export type CoinOffer = keyof CoinOffers;

/** One euro in other currencies, on one day. */
export interface DayRates {
  /** The day of the rates, `2026-11-20`. */
  readonly day: string;
  /** By ISO 4217 code in capitals, in decimal figures as the provider wrote them; without the euro itself. */
  readonly rates: Readonly<Record<string, string>>;
  /** The day of each rate that is of another day than `day`, by currency code; undefined if none is. */
  readonly days?: Readonly<Record<string, string>> | undefined;
}

/** A part of the rates of past days. */
export interface PastRatesQuery {
  /** The first day, such as `2010-01-01`. */
  readonly from: string;
  /** The codes of the currencies. */
  readonly quotes: readonly string[];
}

/** A coin in another provider's list. */
export interface ListedCoin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** Known contracts as `chain:address`, in the names of token price sources. */
  readonly contracts: readonly string[];
}

/** In USD; null if unknown. */
export interface ListedPrice {
  readonly id: string;
  readonly price: number | null;
  readonly marketCap: number | null;
}

/** Everything that a provider may offer. */
export interface Offers extends CoinOffers {
  /** All markets of an exchange, closed ones too. */
  markets(): ProviderRequest<readonly Market[]>;
  /** The last trades in these markets, `limits.quotes` of them a request; markets without trades are left out. */
  quotes(markets: readonly string[]): ProviderRequest<readonly MarketQuote[]>;
  /**
   * An exchange's own candles of a window, ascending, in the market's quote; an interval without a trade has none.
   * Volume and market cap are null, because one market's are not the coin's.
   */
  marketCandles(query: MarketHistoryQuery): ProviderRequest<Candle[]>;
  /** Chains with known contracts, in the provider's names. */
  platforms(): ProviderRequest<readonly string[]>;
  /** The contracts of a chain. */
  contracts(platform: string): ProviderRequest<readonly Contract[]>;
  /** The spot markets that an exchange (by our name of it) has with coins of this provider; without outliers. */
  exchangeMarkets(exchange: string): ProviderRequest<readonly ListedMarket[]>;
  /** Prices of tokens, each `chain:address`; unknown ones are left out. */
  tokenPrices(tokens: readonly string[]): ProviderRequest<readonly TokenPrice[]>;
  /** Their prices at the end of each day of a window, ascending by time. */
  tokenHistory(tokens: readonly string[], window: Span): ProviderRequest<readonly TokenHistory[]>;
  /** One euro in other currencies, on the last day that has rates. */
  rates(): ProviderRequest<DayRates>;
  /** The rates of past days, in any order; a provider that has one file of them gives all of it. */
  pastRates(query?: PastRatesQuery): ProviderRequest<readonly DayRates[]>;
  /** All coins of a list that has its own ids. */
  listedCoins(): ProviderRequest<readonly ListedCoin[]>;
  /** A page of their prices, the largest market cap first; pages count from 1. */
  listedPrices(page: number): ProviderRequest<readonly ListedPrice[]>;
}
export type Offer = keyof Offers;

/** The format of a provider's responses. */
export interface AnswerFormat {
  /** Its name in error messages. */
  readonly name: string;
  /** Matches its content type. */
  readonly type: RegExp;
  /** Throws SyntaxError for malformed text, and an Error for content that it does not accept. */
  parse(text: string): unknown;
}

/** A response other than 200 or 429. */
export type RefusedAnswer = Pick<HttpAnswer, 'status' | 'body'>;

/** By kind of history and base interval; Infinity: everything. */
export type PlanReach = Readonly<Record<'candles' | 'prices', Readonly<Record<BaseInterval, number>>>>;

export interface MarketDataProvider extends Partial<Offers> {
  /** Its name in `x-data-source`; lower-case letters and digits. */
  readonly name: string;
  /** Its name in error messages. */
  readonly title: string;
  /** A deployer agrees to them by using it. */
  readonly terms: { readonly summary: string; readonly url: string };
  /** Whether each request is paid from the monthly budget. */
  readonly isPaid: boolean;
  /**
   * Whether scheduled requests are sent during a pause that other instances met, as probes: only where jobs make so few that they
   * do not add to the trouble.
   */
  readonly scheduledProbes: boolean;
  readonly limits: {
    /** The weight of requests allowed in a second. */
    readonly requestsPerSecond: number;
    /**
     * Whose requests these are: those of each instance, or those of the whole service, whose instances then share one pace in the
     * table. Instances may share an address, so a source that bans addresses has one pace.
     */
    readonly per: 'instance' | 'service';
    /** The most history rows that one request returns. */
    readonly rows: { readonly candles: number; readonly prices: number };
    /** The latest rows, which every plan with history includes. */
    readonly latest: { readonly candles: number; readonly prices: number };
    /** The markets that one request for quotes covers, where quotes are offered. */
    readonly quotes?: number | 'all';
  };
  /**
   * How far back the plan of key and settings reaches, in milliseconds: older data is not requested. Undefined: no known
   * limit.
   */
  reach?(environment: Partial<Environment>): PlanReach;
  /** The environment variables that it reads. */
  readonly settings: {
    readonly baseUrl: EnvironmentName;
    readonly key?: EnvironmentName;
    /** The plan that the key pays for. */
    readonly plan?: EnvironmentName;
  };
  /** Below the base URL: a small response that shows that the provider can be reached. */
  readonly probePath: string;
  endpoint(environment: Partial<Environment>): {
    readonly baseUrl: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** JSON by default. */
  readonly format?: AnswerFormat;
  /** The status that a response should have had, for a provider that reports errors in the body of a 200. */
  statusOf?(answer: RefusedAnswer): number;
  /** The caller's error for a response other than 200 and 429; a 429 if it says that a limit is reached. */
  refusal(answer: RefusedAnswer, request: Pick<ProviderRequest<unknown>, 'coinId' | 'subject'>): ApiError;
}

export type Offering<O extends Offer> = MarketDataProvider & Pick<Offers, O>;

/** Data with the times by which it is fresh or stale, in milliseconds since the epoch. */
export interface Kept<T> extends Received<T> {
  readonly storedAt: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
}

/** What is known before a request to a provider, and who pays for it. */
export interface FetchOptions<T> extends Expected<T> {
  /** A pseudonym of the client that is charged; undefined: no client. */
  readonly client?: (() => string) | undefined;
  /** Called before the request, or its retry, is paid for; prevents it by throwing. */
  readonly beforePaying?: (() => void) | undefined;
}

export interface ProviderClient<O extends Offer = never> {
  readonly provider: Offering<O>;
  /**
   * Requests data and passes it through the gate, which compares it with what is known. Throws PlanRefusal, UnusableAnswer, and
   * ApiError: 404 unknown coin, 429 too many requests, 502 unreachable, 504 no response by the deadline (ms since the epoch).
   */
  fetch<T>(request: ProviderRequest<T>, deadline: number, options?: FetchOptions<T>): Promise<Received<T>>;
  /** Takes the provider's count into the shared budget. Must follow the request that returned it. */
  reconcile(usage: PlanUsage): Promise<void>;
}

/** Of a provider's history. */
export type HistoryClient = ProviderClient<'candles' | 'prices'>;

/** The key's plan does not include the requested data; the message is the provider's own. */
export class PlanRefusal extends ApiError {
  override readonly isLasting = true;
  /** The earliest moment that the plan includes. */
  readonly since: number | undefined;

  constructor(message: string, { since }: { readonly since?: number | undefined } = {}) {
    super(502, message);
    this.since = since;
  }
}

/** A response that cannot be used, which says nothing about other requests. */
export class UnusableAnswer extends ApiError {
  constructor(message: string) {
    super(502, message);
  }
}

/** A ticker under another symbol, which is refused until the registry has that symbol. */
export class UnknownSymbol extends UnusableAnswer {}
