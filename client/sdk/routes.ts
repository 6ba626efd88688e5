/** Generated from the route table by `npm run generate`: changes belong into the route.ts of a route. */
import type { Answer, DatedAnswer, RatedAnswer } from './answer.ts';
import type { CallOptions, IdempotentCallOptions, RouteEntry } from './request.ts';

/** The function of a route; its input may be left out where nothing in it has to be given. */
export type Method<Input, Result, Options = CallOptions> = (
  ...given: Record<never, never> extends Input
    ? [input?: Input, options?: Options]
    : [input: Input, options?: Options]
) => Promise<Result>;

export interface MarketdataTickerInput {
  /** a coin id such as btc-bitcoin */
  readonly id: string;
}

export interface MarketdataTickerData {
  id: string;
  name: string;
  symbol: string;
  rank: number | null;
  circulating_supply: number | null;
  total_supply: number | null;
  max_supply: number | null;
  beta_value: number | null;
  first_data_at: string | null;
  last_updated: string | null;
  quotes: {
    USD: {
      price: number | null;
      volume_24h: number | null;
      volume_24h_change_24h: number | null;
      market_cap: number | null;
      market_cap_change_24h: number | null;
      percent_change_15m: number | null;
      percent_change_30m: number | null;
      percent_change_1h: number | null;
      percent_change_6h: number | null;
      percent_change_12h: number | null;
      percent_change_24h: number | null;
      percent_change_7d: number | null;
      percent_change_30d: number | null;
      percent_change_1y: number | null;
      ath_price: number | null;
      ath_date: string | null;
      /** When the oldest of the figures was made, if some are older than the price: ISO 8601; else null */
      figures_at: string | null;
      percent_from_price_ath: number | null;
    };
  };
  /** The prices of exchanges, compared with this one; null if no exchange is known to trade the coin */
  sources: {
    /** Markets whose price is within 2 % of this one */
    agreeing: number;
    /** Compared markets, at most one of each exchange */
    of: number;
    /** The difference between the highest and the lowest of them, in percent of their median */
    spreadPercent: number;
    prices: {
      /** Its name as in `x-data-source`; also that of the provider if it contradicts the exchanges */
      exchange: string;
      /** The price of its last trade, in USD */
      price: number;
    }[];
  } | null;
}

export interface MarketdataTickersInput {
  /** Coin ids such as btc-bitcoin */
  readonly ids?: readonly string[] | undefined;
  /** Symbols such as BTC, instead of ids */
  readonly symbols?: readonly string[] | undefined;
  /** Coins on a page of the list, without `ids` and `symbols`; from 1 to 250; 100 by default */
  readonly limit?: number | undefined;
  /** nextCursor of the previous page */
  readonly cursor?: string | undefined;
  /** The order of the list, without `ids` and `symbols`: rank, volume, change_24h; "rank" by default */
  readonly sort?: 'rank' | 'volume' | 'change_24h' | undefined;
}

export interface MarketdataTickersData {
  /** Items in `results` */
  count: number;
  results: (
    | {
        /** The requested symbol */
        asked?: string;
        id: string;
        ticker: MarketdataTickerData;
        /** exact, disputed or stale, as in `x-data-quality` */
        quality: 'exact' | 'disputed' | 'stale';
        /** Its source */
        source: string;
        /** When the provider made it: ISO 8601, UTC */
        dataTime: string;
      }
    | {
        /** The requested symbol */
        asked?: string;
        /** Absent only for an unknown symbol */
        id?: string;
        /** Why there is no ticker, and how to get one */
        error: string;
      }
  )[];
  /** Only for the list; null on its last page */
  nextCursor?: string | null;
}

export type MarketdataOverviewInput = Record<string, never>;

export interface MarketdataOverviewData {
  marketCap: {
    /** Null if no coin of the list has a value */
    usd: number | null;
    /** The number of coins in the sum */
    coins: number;
  };
  volume24h: {
    /** Null if no coin of the list has a value */
    usd: number | null;
    /** The number of coins in the sum */
    coins: number;
  };
  /** The two coins with the largest market cap */
  largest: {
    id: string;
    /** In percent of `marketCap` */
    share: number;
  }[];
  /** All active coins of the registry, in the snapshot or not */
  activeCoins: number | null;
  /** Up to 10 of the 500 first by rank, the largest change first; without disputed prices, and with more than threefold ones only if a market agrees */
  gainers: {
    id: string;
    name: string;
    symbol: string;
    /** In USD */
    price: number;
    /** The change in 24 hours, in percent */
    change: number;
  }[];
  /** The same, downwards */
  losers: {
    id: string;
    name: string;
    symbol: string;
    /** In USD */
    price: number;
    /** The change in 24 hours, in percent */
    change: number;
  }[];
  /** When the snapshot was taken: ISO 8601, UTC */
  takenAt: string;
}

export interface MarketdataSparklinesInput {
  /** Coin ids such as btc-bitcoin */
  readonly ids?: readonly string[] | undefined;
  /** The number of coins by rank, instead of ids; 20 by default; from 1 to 100 */
  readonly limit?: number | undefined;
}

export interface MarketdataSparklinesData {
  /** Seconds between two points, except before the last one: 14400 */
  stepSeconds: number;
  /** Time of the first point: ISO 8601, UTC */
  from: string;
  /** Time of the last point, when the snapshot was taken: ISO 8601, UTC */
  to: string;
  coins: (
    | {
        id: string;
        /** In USD, at the times of the grid, the current price last; null: unknown */
        prices: (number | null)[];
        /** The weakest of the points, as in `x-data-quality` */
        quality: 'exact' | 'sampled' | 'derived' | 'disputed' | 'stale';
        /** Their sources */
        source: string;
      }
    | {
        id: string;
        /** Why there is no price at all */
        error: string;
      }
  )[];
}

export interface MarketdataOhlcvInput {
  /** a coin id such as btc-bitcoin */
  readonly id: string;
  /** "24h" by default */
  readonly interval?: '1h' | '24h' | '7d' | '14d' | '30d' | '90d' | '365d' | undefined;
  /** from 1 to 366; 30 by default */
  readonly limit?: number | undefined;
  /** an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z */
  readonly start?: string | undefined;
  /** an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z */
  readonly end?: string | undefined;
  /** "usd" by default */
  readonly quote?: 'usd' | 'btc' | undefined;
  /** the ISO 4217 code of a currency, such as EUR */
  readonly currency?: string | undefined;
  /** false by default */
  readonly provenance?: boolean | undefined;
}

export interface MarketdataOhlcvData {
  coinId: string;
  interval: string;
  /** What prices are in: usd, btc, or the requested currency */
  quote: string;
  count: number;
  data: {
    /** ISO 8601, UTC */
    time_open: string;
    /** ISO 8601, UTC: the last second of its interval; for the running candle, the time of its newest data */
    time_close: string;
    open: number;
    high: number;
    low: number;
    close: number;
    volume: number | null;
    market_cap: number | null;
    /** Present if the coin was redenominated in it: candles before it are in another unit */
    new_unit?: true;
    /** The candle’s source; only with `provenance=true` */
    source?: string;
    /** exact, sampled or derived, as in `x-data-quality`; only with `provenance=true` */
    quality?: 'exact' | 'sampled' | 'derived';
    /** The exchange rate: its day, such as 2026-01-30, and its source; only with `currency` */
    rate?: {
      day: string;
      source: string;
    };
    /** Whether it is closed and has all hours or days of its interval, which the first and the running candle may lack; only with `provenance=true` */
    complete?: boolean;
  }[];
}

export interface MarketdataPriceInput {
  /** a coin id such as btc-bitcoin */
  readonly id: string;
  /** ISO 8601 dates or times that are not in the future, such as 2026-01-31T12:00:00Z; a date without a time is its start */
  readonly at: readonly string[];
  /** The largest age of a price at the instant, in seconds; from 1 to 31536000; 86400 by default */
  readonly within?: number | undefined;
  /** the ISO 4217 code of a currency, such as EUR */
  readonly currency?: string | undefined;
}

export interface MarketdataPriceData {
  coinId: string;
  /** What prices are in: usd, or the requested currency */
  quote: string;
  /** The number of requested instants */
  count: number;
  data: ({
    /** The requested instant: ISO 8601, UTC */
    at: string;
    price: number;
    /** The time of the price: ISO 8601, UTC */
    time: string;
    /** Its source */
    source: string;
    /** exact, sampled or derived, as in `x-data-quality` */
    quality: 'exact' | 'sampled' | 'derived';
    /** The exchange rate: its day, such as 2026-01-30, and its source; only with `currency` */
    rate?: {
      day: string;
      source: string;
    };
  } | null)[];
}

export interface MarketdataSearchInput {
  /** one or several words, up to 100 characters */
  readonly q: string;
  /** from 1 to 100; 20 by default */
  readonly limit?: number | undefined;
  /** true: only active coins; false by default */
  readonly active?: boolean | undefined;
  /** coin, token */
  readonly type?: 'coin' | 'token' | undefined;
}

export interface MarketdataSearchData {
  query: string;
  count: number;
  /** Best match first */
  results: MarketdataCoinData[];
}

export interface MarketdataResolveInput {
  /** a symbol such as BTC, an id or a name */
  readonly symbol: string;
}

export interface MarketdataResolveData {
  symbol: string;
  id: string;
  name: string;
  /** The rank by market cap, from 1; 0: unranked */
  rank: number;
  /** coin, token */
  type: 'coin' | 'token';
  /** Only a coin found by its id can be inactive */
  is_active: boolean;
  /** symbol, id, formerSymbol (its own or its predecessor’s) or name */
  foundBy: 'symbol' | 'id' | 'formerSymbol' | 'name';
  /** The number of other active coins with the text as their symbol */
  alternatives: number;
  /** Whether the text probably means one of them */
  isAmbiguous: boolean;
  /** The coin as which this one continues, if there is one; this one may still be traded */
  successor?: {
    id: string;
    symbol: string;
    name: string;
    /** The units of the new coin that replaced one of the old */
    ratio: number;
  };
  /** The coin that has the symbol, if no active, ranked coin has it and that coin continues as this one */
  predecessor?: {
    id: string;
    symbol: string;
    name: string;
    /** The units of the new coin that replaced one of the old */
    ratio: number;
  };
}

export interface MarketdataCoinInput {
  /** a coin id such as btc-bitcoin */
  readonly id: string;
}

export interface MarketdataCoinData {
  id: string;
  name: string;
  symbol: string;
  /** The rank by market cap, from 1; 0: unranked */
  rank: number;
  is_new: boolean;
  is_active: boolean;
  type: 'coin' | 'token';
}

export interface MarketdataCoinsInput {
  /** a symbol such as BTC */
  readonly symbol?: string | undefined;
  /** false: inactive coins too; true by default */
  readonly active?: boolean | undefined;
  /** true: only coins with a rank; false by default */
  readonly ranked?: boolean | undefined;
  /** coin, token */
  readonly type?: 'coin' | 'token' | undefined;
  /** from 1 to 1000; 100 by default */
  readonly limit?: number | undefined;
  /** nextCursor of the previous page */
  readonly cursor?: string | undefined;
}

export interface MarketdataCoinsData {
  /** Entries on this page */
  count: number;
  /** Entries on all pages */
  total: number;
  results: MarketdataCoinData[];
  /** Null on the last page */
  nextCursor: string | null;
}

export interface MarketdataConvertInput {
  /** a text of decimal digits, up to 31 before and 64 after the point, without sign or exponent, such as 1.5 */
  readonly amount: string;
  /** a currency's code, a coin id or a symbol, such as btc-bitcoin */
  readonly from: string;
  /** a currency's code, a coin id or a symbol, such as EUR */
  readonly to: string;
  /** an ISO 8601 date or time that is not in the future, such as 2026-01-31T12:00:00Z */
  readonly at?: string | undefined;
}

export interface MarketdataConvertData {
  /** The requested amount, without trailing zeros */
  amount: string;
  from:
    | {
        kind: 'coin';
        id: string;
        symbol: string;
        name: string;
        /** The coin as which this one continues, if there is one; this one may still be traded */
        successor?: {
          id: string;
          symbol: string;
          name: string;
          /** The units of the new coin that replaced one of the old */
          ratio: number;
        };
        /** The coin that has the symbol, if no active, ranked coin has it and that coin continues as this one */
        predecessor?: {
          id: string;
          symbol: string;
          name: string;
          /** The units of the new coin that replaced one of the old */
          ratio: number;
        };
        /** Its source; null for the US dollar */
        source: string | null;
        /** The quality, as in `x-data-quality` */
        quality: 'exact' | 'sampled' | 'derived' | 'disputed' | 'stale';
        /** When its source made it: RFC 3339, UTC; null for the US dollar */
        dataTime: string | null;
      }
    | {
        kind: 'currency';
        code: string;
        /** Its source; null for the US dollar */
        source: string | null;
        /** The quality, as in `x-data-quality` */
        quality: 'exact' | 'sampled' | 'derived' | 'disputed' | 'stale';
        /** When its source made it: RFC 3339, UTC; null for the US dollar */
        dataTime: string | null;
      };
  to:
    | {
        kind: 'coin';
        id: string;
        symbol: string;
        name: string;
        /** The coin as which this one continues, if there is one; this one may still be traded */
        successor?: {
          id: string;
          symbol: string;
          name: string;
          /** The units of the new coin that replaced one of the old */
          ratio: number;
        };
        /** The coin that has the symbol, if no active, ranked coin has it and that coin continues as this one */
        predecessor?: {
          id: string;
          symbol: string;
          name: string;
          /** The units of the new coin that replaced one of the old */
          ratio: number;
        };
        /** Its source; null for the US dollar */
        source: string | null;
        /** The quality, as in `x-data-quality` */
        quality: 'exact' | 'sampled' | 'derived' | 'disputed' | 'stale';
        /** When its source made it: RFC 3339, UTC; null for the US dollar */
        dataTime: string | null;
      }
    | {
        kind: 'currency';
        code: string;
        /** Its source; null for the US dollar */
        source: string | null;
        /** The quality, as in `x-data-quality` */
        quality: 'exact' | 'sampled' | 'derived' | 'disputed' | 'stale';
        /** When its source made it: RFC 3339, UTC; null for the US dollar */
        dataTime: string | null;
      };
  /** One of `from` in `to` */
  rate: string;
  /** The amount in `to` */
  result: string;
  /** The rounding of `rate` and `result` */
  rounding: '34 significant digits, half to even';
  /** The age of the older `dataTime`; null from US dollar to US dollar */
  ageSeconds: number | null;
}

export interface MarketdataValuationInput {
  /** a list of 1 to 200 objects with id or symbol, amount, and optionally cost; amount and cost are each a text of decimal digits, up to 31 before and 64 after the point, without sign or exponent, such as 1.5 */
  readonly holdings: readonly {
    /** A coin id */
    readonly id?: string | undefined;
    /** Instead of the id: as for `resolve` */
    readonly symbol?: string | undefined;
    /** a text of decimal digits, up to 31 before and 64 after the point, without sign or exponent, such as 1.5 */
    readonly amount: string;
    /** Its total cost, in the currency of the valuation, in the format of `amount` */
    readonly cost?: string | undefined;
  }[];
  /** a currency's ISO 4217 code of three letters, such as EUR; "usd" by default */
  readonly currency?: string | undefined;
  /** an ISO 8601 date or time that is not in the future, such as 2026-01-31T12:00:00Z */
  readonly at?: string | undefined;
}

export interface MarketdataValuationData {
  /** The code of the currency */
  currency: string;
  /** The value of all positions, in the currency; values are added before they are rounded */
  total: string;
  /** Whether every holding is part of the total */
  isComplete: boolean;
  /** The change of the total in 24 hours, in US dollars, as far as the changes of its positions are known; null if none is */
  change24hPercent: number | null;
  /** The share of the total whose change is known; null if the total is 0 */
  changeCoversPercent: number | null;
  positions: {
    /** The holding’s position in the request, from 0 */
    index: number;
    id: string;
    symbol: string;
    name: string;
    /** The coin as which this one continues, if there is one; this one may still be traded */
    successor?: {
      id: string;
      symbol: string;
      name: string;
      /** The units of the new coin that replaced one of the old */
      ratio: number;
    };
    /** The coin that has the symbol, if no active, ranked coin has it and that coin continues as this one */
    predecessor?: {
      id: string;
      symbol: string;
      name: string;
      /** The units of the new coin that replaced one of the old */
      ratio: number;
    };
    /** The given amount, without trailing zeros */
    amount: string;
    /** The price of one unit, in the currency */
    price: string;
    /** The value in the currency */
    value: string;
    /** The share of the total; null if that is 0 */
    sharePercent: number | null;
    /** The change of the price in US dollars; null if it is not known, and at an instant */
    change24hPercent: number | null;
    /** The given cost; null without one */
    cost: string | null;
    /** The value less the cost; null without a cost */
    profit: string | null;
    /** The profit in percent of the cost; null without one, or if it is 0 */
    profitPercent: number | null;
    /** Its source; null for the US dollar */
    source: string | null;
    /** The quality, as in `x-data-quality` */
    quality: 'exact' | 'sampled' | 'derived' | 'disputed' | 'stale';
    /** When its source made it: RFC 3339, UTC; null for the US dollar */
    dataTime: string | null;
  }[];
  missing: {
    /** The holding’s position in the request, from 0 */
    index: number;
    /** Null if it is unknown */
    id: string | null;
    /** The given symbol */
    symbol: string | null;
    /** The given amount, without trailing zeros */
    amount: string;
    /** unknown: there is no coin of that name, or another replaced it at a ratio that the message states; ambiguous: the symbol is also the code of a currency, or not that of the id; unnamed: neither id nor symbol; unpriced: no stored price */
    reason: 'unknown' | 'ambiguous' | 'unnamed' | 'unpriced';
    /** The reason in words, with the next step */
    message: string;
  }[];
  /** The rate from US dollars, the currency of prices, to the currency; null if that is the US dollar */
  exchangeRate: {
    /** One US dollar in the currency */
    oneUsd: string;
    /** Its source; null for the US dollar */
    source: string | null;
    /** The quality, as in `x-data-quality` */
    quality: 'exact' | 'sampled' | 'derived' | 'disputed' | 'stale';
    /** When its source made it: RFC 3339, UTC; null for the US dollar */
    dataTime: string | null;
  } | null;
  /** The rounding of amounts of money */
  rounding: '34 significant digits, half to even';
}

export type MarketdataRatesInput = Record<string, never>;

export interface MarketdataRatesData {
  base: 'EUR';
  /** The day of the rates, such as 2026-01-30, unless `days` has another */
  day: string;
  /** One euro in each currency, by ISO 4217 code in alphabetical order: decimal numbers as strings */
  rates: Record<string, string>;
  /** The days of rates from another day, if there are any. The former rate of a currency stays for up to six days if the new one is missing, or is more than 10 % off until the next day confirms it */
  days?: Record<string, string>;
  /** The sources of rates that are not from the first one in `x-data-source`, if there are any */
  sources?: Record<string, string>;
  /** The number of currencies */
  count: number;
}

export interface UniswapQuoteInput {
  /** a token's address, or ETH (0xEeee…EEeE and the zero address also stand for it) */
  readonly tokenIn: string;
  /** a token's address, or ETH (0xEeee…EEeE and the zero address also stand for it) */
  readonly tokenOut: string;
  /** a positive integer of base units (wei, for ETH), as a text of decimal digits */
  readonly amount: string;
  /** The chain; `local` is a node on your own machine; by default the first that is served */
  readonly chain?: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local' | undefined;
  /** Only routes that this router trades, for example one that is already approved */
  readonly router?: 'SwapRouter02' | 'V2Router02' | undefined;
}

export interface UniswapQuoteData {
  /** In base units of tokenOut */
  amountOut: string;
  /** True if `amountOut` is the amount that arrives: the trade was simulated, or its tokens charge no transfer fee. False if it is the amount that the pools pay, from which a token may deduct a fee */
  verified: boolean;
  fee: {
    /** The pools' fees, in base units of the input */
    amount: string;
    /** The input: its address, or ETH */
    currency: string;
    /** The fee of each hop, in millionths: 3000 is 0.3 % */
    tiers: number[];
  };
  /** The pools of the trade, in order; none if ETH is wrapped or unwrapped */
  route: {
    type: 'v2' | 'v3';
    /** The pool's address */
    pool: `0x${string}`;
    /** In millionths */
    feeTier: number;
    /** ETH is shown as its wrapped token */
    tokenIn: `0x${string}`;
    /** ETH is shown as its wrapped token */
    tokenOut: `0x${string}`;
  }[];
  /** The percentage by which the trade's price is worse than the pools' price before it, without pool fees */
  priceImpact: number;
  /** The block of all these figures */
  block: number;
  /** The hash of that block */
  blockHash: `0x${string}`;
  /** The approximate gas of the whole swap */
  gasEstimate: string;
  gasCost: string | null;
  /** The tokens of the route, in order; unknown facts are null */
  tokens: {
    /** The token's address */
    address: `0x${string}`;
    symbol: string | null;
    decimals: number | null;
  }[];
  router: 'SwapRouter02' | 'V2Router02' | null;
  spender: `0x${string}` | null;
}

export interface UniswapApproveInput {
  /** the token's address */
  readonly token: string;
  /** an integer of base units, as a text of decimal digits; 0 revokes an approval */
  readonly amount: string;
  /** The chain; `local` is a node on your own machine; by default the first that is served */
  readonly chain?: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local' | undefined;
  /** "SwapRouter02" by default */
  readonly router?: 'SwapRouter02' | 'V2Router02' | undefined;
  /** the address that will sign: for a closer gas estimate, and for `reset` */
  readonly owner?: string | undefined;
}

export interface UniswapApproveData {
  /** The contract to call */
  to: `0x${string}`;
  /** Calldata */
  data: `0x${string}`;
  /** The wei to send with the call */
  value: string;
  /** At least a fifth more than the node's estimate or the gas of the simulation */
  gasLimit: string;
  /** The only chain that it is valid for */
  chainId: number;
  /** The contract that takes the token; null if no token is taken */
  spender: `0x${string}` | null;
  /** What it does, in one line for a wallet to show */
  summary: string;
  /** The address that must sign it; null for any */
  from: `0x${string}` | null;
  /** To send first, if the token must have an allowance of zero before a new one; else null */
  reset: {
    /** The contract to call */
    to: `0x${string}`;
    /** Calldata */
    data: `0x${string}`;
    /** The wei to send with the call */
    value: string;
    /** At least a fifth more than the node's estimate or the gas of the simulation */
    gasLimit: string;
  } | null;
}

export interface UniswapSwapInput {
  /** a token's address, or ETH (0xEeee…EEeE and the zero address also stand for it) */
  readonly tokenIn: string;
  /** a token's address, or ETH (0xEeee…EEeE and the zero address also stand for it) */
  readonly tokenOut: string;
  /** a positive integer of base units (wei, for ETH), as a text of decimal digits */
  readonly amount: string;
  /** The chain; `local` is a node on your own machine; by default the first that is served */
  readonly chain?: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local' | undefined;
  /** Only routes that this router trades, for example one that is already approved */
  readonly router?: 'SwapRouter02' | 'V2Router02' | undefined;
  /** the address that gets the output */
  readonly recipient: string;
  /** the address that will sign and pay; the recipient by default */
  readonly sender?: string | undefined;
  /** from 0 to 5000; 50 by default */
  readonly slippageBps?: number | undefined;
  /** the least to accept, in base units of tokenOut; replaces slippageBps */
  readonly minAmountOut?: string | undefined;
  /** from 0 to 10000; 1500 by default */
  readonly maxPriceImpactBps?: number | undefined;
  /** from 1 to 86400; 1200 by default */
  readonly deadlineSeconds?: number | undefined;
}

export interface UniswapSwapData {
  /** The contract to call */
  to: `0x${string}`;
  /** Calldata */
  data: `0x${string}`;
  /** The wei to send with the call */
  value: string;
  /** At least a fifth more than the node's estimate or the gas of the simulation */
  gasLimit: string;
  /** The only chain that it is valid for */
  chainId: number;
  /** The contract that takes the token; null if no token is taken */
  spender: `0x${string}` | null;
  /** What it does, in one line for a wallet to show */
  summary: string;
  /** The only address that may sign it */
  from: `0x${string}`;
  /** The address that gets the output */
  recipient: `0x${string}`;
  /** The swap reverts below it; in base units of tokenOut */
  minAmountOut: string;
  /** The time in seconds since 1970, after which the router refuses it */
  deadline: number;
  /** What the swap still lacks; send it after these are resolved, or together with the approval */
  issues: {
    /** An allowance that does not suffice, which an approval resolves; null if it does */
    allowance: {
      /** The spender's current allowance of the input */
      actual: string;
      /** The amount that the swap needs */
      required: string;
      /** The contract to approve */
      spender: `0x${string}`;
    } | null;
    /** Null if the sender has enough */
    balance: {
      /** Its address, or ETH */
      token: string;
      /** The sender's balance */
      actual: string;
      /** The amount that the swap needs */
      required: string;
    } | null;
    /** Why the swap could not be simulated, so that amounts are those of the quote; null if it was */
    simulation: string | null;
  };
  quote: UniswapQuoteData;
}

export interface AggregatorQuoteInput {
  /** a token's address, or ETH (0xEeee…EEeE and the zero address also stand for it) */
  readonly tokenIn: string;
  /** a token's address, or ETH (0xEeee…EEeE and the zero address also stand for it) */
  readonly tokenOut: string;
  /** a positive integer of base units, as decimal digits */
  readonly amount: string;
  /** The chain; "mainnet" by default */
  readonly chain?: 'mainnet' | 'base' | 'arbitrum' | undefined;
  /** the address that will sign and pay; without it there is no transaction */
  readonly sender?: string | undefined;
  /** the address that gets the output; the sender by default */
  readonly recipient?: string | undefined;
  /** from 0 to 5000; 50 by default */
  readonly slippageBps?: number | undefined;
  /** the least that the transaction may bring, a positive integer of base units, as decimal digits */
  readonly minAmountOut?: string | undefined;
}

export interface AggregatorQuoteData {
  /** In base units of tokenOut, fees and known taxes aside */
  amountOut: string;
  fee: {
    /** 0x's own fee, already deducted from amountOut; the fees of pools are in the price */
    amount: string;
    /** Its address, or ETH */
    currency: string;
    /** Empty: 0x does not report the fees of pools */
    tiers: number[];
  };
  /** The parts into which the trade is divided, in order */
  route: {
    /** A venue, as 0x calls it */
    source: string;
    /** The part of the amount from tokenIn to tokenOut, in hundredths of a percent */
    shareBps: number;
    /** ETH is shown as its wrapped token */
    tokenIn: `0x${string}`;
    /** ETH is shown as its wrapped token */
    tokenOut: `0x${string}`;
  }[];
  /** Not reported by 0x */
  priceImpact: null;
  /** Null if 0x has none */
  gasEstimate: string | null;
  /** What the transaction costs, if tokenOut is ETH or its wrapped token; else null */
  gasCost: string | null;
  /** What the transaction costs, with an L2's data on L1; null if 0x has no estimate */
  networkFee: string | null;
  /** The tokens on the way */
  tokens: {
    /** ETH is shown as its wrapped token */
    address: `0x${string}`;
    /** The symbol that 0x reports: token creators choose it freely */
    symbol: string | null;
    /** Not reported by 0x */
    decimals: null;
    /** What it keeps when bought, in hundredths of a percent; null if 0x does not know */
    buyTaxBps: number | null;
    /** What it keeps when sold, in hundredths of a percent; null if 0x does not know */
    sellTaxBps: number | null;
  }[];
  /** There is only one contract to call */
  router: null;
  /** Null if no approval is needed */
  spender: `0x${string}` | null;
  /** The block at which 0x read its sources */
  block: number;
  /** Not reported by 0x */
  blockHash: null;
  /** Unsigned; null without `sender` */
  transaction: {
    /** The contract to call */
    to: `0x${string}`;
    /** Calldata */
    data: `0x${string}`;
    /** The wei to send with the call */
    value: string;
    /** Null if 0x could not simulate the swap: let the wallet estimate it once the issues are resolved */
    gasLimit: string | null;
    /** The only chain that it is valid for */
    chainId: number;
    /** The contract that takes the token; null if no token is taken */
    spender: `0x${string}` | null;
    /** What it does, in one line for a wallet to show */
    summary: string;
    /** The only address that may sign it */
    from: `0x${string}`;
    /** The address that gets the output */
    recipient: `0x${string}`;
    /** The swap reverts below it; in base units of tokenOut */
    minAmountOut: string;
    /** What the swap still lacks; send it after these are resolved, or together with the approval */
    issues: {
      /** An allowance that does not suffice, which an approval resolves; null if it does */
      allowance: {
        /** The spender's current allowance of the input */
        actual: string;
        /** The amount that the swap needs */
        required: string;
        /** The contract to approve */
        spender: `0x${string}`;
      } | null;
      /** Null if the sender has enough */
      balance: {
        /** Its address, or ETH */
        token: string;
        /** The sender's balance */
        actual: string;
        /** The amount that the swap needs */
        required: string;
      } | null;
      /** Why the swap could not be simulated, so that amounts are those of the quote; null if it was */
      simulation: string | null;
    };
  } | null;
}

export type RpcChainsInput = Record<string, never>;

export interface RpcChainsData {
  /** The chain of a request that names none */
  default: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local';
  chains: {
    /** A value for `chain` */
    name: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local';
    /** The id that wallets use (EIP-155) */
    chainId: number;
    /** Whether its native token has no value */
    testnet: boolean;
    nativeSymbol: string;
    /** The wrapped native token, which pools trade */
    wrappedNative: `0x${string}`;
    /** The tokens that this service knows: routes pass through them, and it shows them by symbol */
    tokens: {
      symbol: string;
      /** The token’s address */
      address: `0x${string}`;
      decimals: number;
    }[];
  }[];
}

export interface RpcProxyInput {
  /** The chain; `local` is a node on your own machine */
  readonly chain: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local';
  readonly jsonrpc?: '2.0' | undefined;
  /** a JSON-RPC id, a text or a number; not repeated in the response */
  readonly id?: string | number | undefined;
  /** a JSON-RPC method such as eth_blockNumber */
  readonly method: string;
  /** the method’s parameters as a list; [] by default */
  readonly params?: readonly unknown[] | undefined;
}

export type RpcProxyData = unknown;

export interface FaucetRequestInput {
  /** the address that gets the grant */
  readonly address: string;
  /** A test network; `local` is a node on your own machine */
  readonly network: 'sepolia' | 'local';
}

export interface FaucetRequestData {
  /** The id for reading the status */
  requestId: string;
  /** The transfer's hash */
  txHash: `0x${string}`;
  /** In wei */
  amount: string;
  /** A test network; `local` is a node on your own machine */
  network: 'sepolia' | 'local';
  /** `failed`: mined without effect, or another transaction used its nonce for good */
  status: 'pending' | 'confirmed' | 'failed';
}

export interface FaucetStatusInput {
  /** a request id that /api/faucet/request returned */
  readonly requestId: string;
}

export interface FaucetStatusData {
  /** The id for reading the status */
  requestId: string;
  /** The transfer's hash */
  txHash: `0x${string}`;
  /** In wei */
  amount: string;
  /** A test network; `local` is a node on your own machine */
  network: 'sepolia' | 'local';
  /** `failed`: mined without effect, or another transaction used its nonce for good */
  status: 'pending' | 'confirmed' | 'failed';
  /** Blocks since it was mined, its own included; 0: not mined yet */
  confirmations: number;
}

/** One method for each route, by domain. */
export interface Client {
  readonly marketdata: {
    /** Current price and market figures of one coin. */
    readonly ticker: Method<MarketdataTickerInput, RatedAnswer<MarketdataTickerData>>;
    /**
     * Current prices and market figures of up to 100 coins, or of all listed coins page by page.
     * Uses stored data and makes no upstream calls. Named coins are returned in the order of the request, also if named twice; a comma always separates, and a `+` is `%2B`. A coin outside the ticker snapshot has its price by contract, or the last ticker that was fetched for a caller, up to twelve hours old. An unknown coin or one without a stored ticker is an item with `error`, and the others are returned. Without names: the coins of the ticker snapshot in the order of `sort`, best first, unknown values last, ties by rank and then id. A page begins after the figures at the end of the page before, so coins with unchanged figures are returned exactly once, even if a newer snapshot is published in between.
     */
    readonly tickers: Method<MarketdataTickersInput, RatedAnswer<MarketdataTickersData>>;
    /**
     * The market at a glance: totals, the two largest coins, and the day’s gainers and losers.
     * Adds up the coins of the ticker snapshot, the largest that the provider’s plan lists, and no others. A coin whose price is old, disputed or held back counts with its last believed price, for up to twelve hours; gainers and losers leave it out.
     */
    readonly overview: Method<MarketdataOverviewInput, RatedAnswer<MarketdataOverviewData>>;
    /**
     * A week of prices of up to 100 coins, a point every four hours, for small charts.
     * Uses stored data and makes no upstream calls. All coins have their points at the same times: the closes at multiples of four hours, UTC, of the seven days before the ticker snapshot, then the price now. An unknown point is null. Named coins are returned in the order of the request, also if named twice; an unknown coin or one without prices is an item with `error`, and the others are returned. Without names: the first coins of the snapshot by rank.
     */
    readonly sparklines: Method<MarketdataSparklinesInput, RatedAnswer<MarketdataSparklinesData>>;
    /**
     * Candles (open, high, low, close, volume) of one coin.
     * In US dollars, in bitcoin, or in a `currency`: then each hour or day is converted at the exchange rate that counted at its end, and has as many digits as the less exact of price and rate. Candles of times without a rate are left out.
     */
    readonly ohlcv: Method<MarketdataOhlcvInput, RatedAnswer<MarketdataOhlcvData>>;
    /**
     * The price of one coin at instants of the past.
     * For each instant the latest known price at or before it, with its time. It comes from a ticker, from a sample taken every ten minutes (for 35 days), or from the close of an hour or a day. Nothing is interpolated. With `currency` it is converted at the exchange rate that counted at the instant. An instant without a known price is `null` in a list, and a 404 that names its neighbours if it is the only one.
     */
    readonly price: Method<MarketdataPriceInput, RatedAnswer<MarketdataPriceData>>;
    /** Coins by symbol, name or id, tolerating typos. */
    readonly search: Method<MarketdataSearchInput, DatedAnswer<MarketdataSearchData>>;
    /**
     * The coin that a symbol, an id or a name stands for.
     * A symbol stands for the active, ranked coin of the lowest rank; at equal rank a coin goes before a token. Symbols compare without regard to case and surrounding space. Any other text is looked up as an id, then as a symbol that a coin had before, or that its predecessor has (MATIC of POL), and then as a name. A text with a hyphen is an id first, and a name goes before the symbol of a far less known coin: `Bitcoin` is BTC. A coin that continues as another has a `successor`.
     */
    readonly resolve: Method<MarketdataResolveInput, DatedAnswer<MarketdataResolveData>>;
    /** One coin of the registry. */
    readonly coin: Method<MarketdataCoinInput, DatedAnswer<MarketdataCoinData>>;
    /** Coins of one symbol, or all active coins page by page, in rank order. */
    readonly coins: Method<MarketdataCoinsInput, DatedAnswer<MarketdataCoinsData>>;
    /**
     * An amount of one coin or currency in another.
     * Uses stored prices and exchange rates. The price of a coin that is not stored is fetched, with one upstream request, as by `ticker`. With `at` the latest price of at most a day before that instant is used, and the exchange rate that counted then. Three letters that are an ISO 4217 code (any case) are the currency, even while it has no rate; anything else is a coin id, or a symbol, which stands for the coin that `resolve` returns. A symbol of a coin that another replaced leads to that one, marked by `predecessor`, if the swap was one to one; otherwise the 404 states the ratio. A coin whose symbol is the code of a currency is reached by its id. `rate` and `result` are rounded once, to 34 significant digits, half to even.
     */
    readonly convert: Method<MarketdataConvertInput, RatedAnswer<MarketdataConvertData>>;
    /**
     * The value of holdings.
     * Uses stored prices and exchange rates, and makes no upstream calls. With `at` these are the latest prices of at most a day before that instant, and the exchange rate that counted then. Each holding is a position of its own, also if a coin occurs twice. Holdings without a price are listed in `missing` and are not part of the total. Amounts of money are rounded once, to 34 significant digits, half to even; percentages to four decimals, and null beyond 10^15. Unknown fields are refused.
     */
    readonly valuation: Method<MarketdataValuationInput, RatedAnswer<MarketdataValuationData>>;
    /**
     * One euro in other currencies.
     * The euro’s reference rates of the last working day with published rates, which appear in the afternoon, and the latest rates of all other currencies and of gold, silver, platinum and palladium, as central banks publish them. They are for information, not for transactions. A rate may be six days old; older ones are `stale`, because newer ones are missing.
     */
    readonly rates: Method<MarketdataRatesInput, RatedAnswer<MarketdataRatesData>>;
  };
  readonly uniswap: {
    /**
     * The best output of Uniswap V2 and V3 for an exact input.
     * All V3 fee tiers and V2, direct and through the common intermediate tokens, also one after the other, at the newest block. What is left after gas decides. A trade of ETH for a token that is not common is tried, so that `amountOut` is what arrives; `verified` says whether it is.
     */
    readonly quote: Method<UniswapQuoteInput, Answer<UniswapQuoteData>>;
    /**
     * An unsigned approval that lets a Uniswap router transfer a token.
     * Sign and send it before a swap of the token, or together with it. SwapRouter02 trades in V2 and V3; the `router` of a quote says which one its swap will call. Pass the `owner` for a token like Tether, which changes an allowance only from or to 0: `reset` is then to be sent first. ETH needs no approval.
     */
    readonly approve: Method<UniswapApproveInput, Answer<UniswapApproveData>>;
    /**
     * The unsigned transaction that swaps an exact amount in by the best route.
     * Sign it with the key of `sender` and send it: it pays `recipient` at least `minAmountOut`, or reverts. The routes are tried on the node as the sender, and `quote.amountOut` is what arrived. ETH is wrapped and unwrapped by the router. What the sender still lacks is in `issues`.
     */
    readonly swap: Method<UniswapSwapInput, Answer<UniswapSwapData>>;
  };
  readonly aggregator: {
    /**
     * The best output of all of 0x’s sources, and the unsigned transaction for it.
     * Without `sender`, an indicative price; with it, a firm quote and the transaction for `sender` to sign, which pays `recipient` at least `minAmountOut`, or reverts. 0x reports no price impact, so there is no limit for it here.
     */
    readonly quote: Method<AggregatorQuoteInput, Answer<AggregatorQuoteData>>;
  };
  readonly rpc: {
    /**
     * The supported chains, with their tokens.
     * Chains with a configured node, in the order of preference. Makes no node requests.
     */
    readonly chains: Method<RpcChainsInput, Answer<RpcChainsData>>;
    /**
     * One read from a chain's node, without its key.
     * One JSON-RPC request of a method that only reads; `data` is its result. No batches. eth_getLogs searches at most 1,000 blocks, eth_feeHistory at most 1,024 with 100 percentiles. A call has at most 50 million gas and replaces state but no code; eth_simulateV1 makes at most 8 blocks with 32 calls in all. Unknown fields are refused. A response is at most 1 MB, and neither it nor `params` is nested more than 64 levels deep. At ten requests a minute it is a convenience, not a node.
     */
    readonly proxy: Method<RpcProxyInput, Answer<RpcProxyData>>;
  };
  readonly faucet: {
    /**
     * A small amount of a test network's currency for an address.
     * The one route that signs, and only on test networks. An address gets one grant of a network in 24 hours, a client five a day; 429 says when the next one is possible. An address that has enough is a 400. `status` is `pending`: read it again with the id.
     */
    readonly request: Method<FaucetRequestInput, Answer<FaucetRequestData>, IdempotentCallOptions>;
    /** The status of a faucet request. */
    readonly status: Method<FaucetStatusInput, Answer<FaucetStatusData>>;
  };
}

/** What calls need of the routes at run time. */
export const routes: {
  readonly [Domain in keyof Client]: { readonly [Action in keyof Client[Domain]]: RouteEntry };
} = {
  marketdata: {
    ticker: { method: 'GET', path: '/api/marketdata/ticker/{id}' },
    tickers: { method: 'GET', path: '/api/marketdata/tickers' },
    overview: { method: 'GET', path: '/api/marketdata/overview' },
    sparklines: { method: 'GET', path: '/api/marketdata/sparklines' },
    ohlcv: { method: 'GET', path: '/api/marketdata/ohlcv/{id}' },
    price: { method: 'GET', path: '/api/marketdata/price/{id}' },
    search: { method: 'GET', path: '/api/marketdata/search' },
    resolve: { method: 'GET', path: '/api/marketdata/resolve/{symbol}' },
    coin: { method: 'GET', path: '/api/marketdata/coins/{id}' },
    coins: { method: 'GET', path: '/api/marketdata/coins' },
    convert: { method: 'GET', path: '/api/marketdata/convert' },
    valuation: { method: 'POST', path: '/api/marketdata/valuation' },
    rates: { method: 'GET', path: '/api/marketdata/rates' },
  },
  uniswap: {
    quote: { method: 'POST', path: '/api/uniswap/quote' },
    approve: { method: 'POST', path: '/api/uniswap/approve' },
    swap: { method: 'POST', path: '/api/uniswap/swap' },
  },
  aggregator: {
    quote: { method: 'POST', path: '/api/aggregator/quote' },
  },
  rpc: {
    chains: { method: 'GET', path: '/api/rpc' },
    proxy: { method: 'POST', path: '/api/rpc/{chain}' },
  },
  faucet: {
    request: { method: 'POST', path: '/api/faucet/request', idempotent: true },
    status: { method: 'GET', path: '/api/faucet/status/{requestId}' },
  },
};
