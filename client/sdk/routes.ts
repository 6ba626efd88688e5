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
      percent_from_price_ath: number | null;
    };
  };
  /** The prices of exchanges beside this one; null if none is known to trade the coin */
  sources: {
    /** Markets whose price is within 2 % of this one */
    agreeing: number;
    /** Markets that were compared, one of an exchange at most */
    of: number;
    /** Between the lowest and the highest of them, in percent of their median */
    spreadPercent: number;
    prices: {
      /** As `x-data-source` names it */
      exchange: string;
      /** Of its last trade, in USD */
      price: number;
    }[];
  } | null;
}

export interface MarketdataTickersInput {
  /** Coin ids such as btc-bitcoin */
  readonly ids?: readonly string[] | undefined;
  /** Symbols such as BTC, in place of ids */
  readonly symbols?: readonly string[] | undefined;
  /** Coins on a page of the list, without `ids` and `symbols`; from 1 to 250; 100 by default */
  readonly limit?: number | undefined;
  /** nextCursor of the page before */
  readonly cursor?: string | undefined;
  /** The order of the list, without `ids` and `symbols`: rank, volume, change_24h; "rank" by default */
  readonly sort?: 'rank' | 'volume' | 'change_24h' | undefined;
}

export interface MarketdataTickersData {
  /** Items in `results` */
  count: number;
  results: (
    | {
        /** The symbol that was asked for */
        asked?: string;
        id: string;
        ticker: MarketdataTickerData;
        /** exact, disputed or stale, as `x-data-quality` has them */
        quality: 'exact' | 'disputed' | 'stale';
        /** Who made it */
        source: string;
        /** When the provider made it: ISO 8601, UTC */
        dataTime: string;
      }
    | {
        /** The symbol that was asked for */
        asked?: string;
        /** Of a symbol that is known, and of what was asked for by id */
        id?: string;
        /** Why there is no ticker, and how to get one */
        error: string;
      }
  )[];
  /** Of the list alone; null on its last page */
  nextCursor?: string | null;
}

export type MarketdataOverviewInput = Record<string, never>;

export interface MarketdataOverviewData {
  marketCap: {
    /** Null if no coin of the list has one */
    usd: number | null;
    /** How many coins that is the sum of */
    coins: number;
  };
  volume24h: {
    /** Null if no coin of the list has one */
    usd: number | null;
    /** How many coins that is the sum of */
    coins: number;
  };
  /** The two with the largest market cap */
  largest: {
    id: string;
    /** In percent of `marketCap` */
    share: number;
  }[];
  /** Active coins of the registry, whether they are in the snapshot or not */
  activeCoins: number | null;
  /** Up to 10 of the 500 first by rank, the largest change first, without prices that are disputed, and three times those of the day before only if a market agrees */
  gainers: {
    id: string;
    name: string;
    symbol: string;
    /** In USD */
    price: number;
    /** Of 24 hours, in percent */
    change: number;
  }[];
  /** The same, downwards */
  losers: {
    id: string;
    name: string;
    symbol: string;
    /** In USD */
    price: number;
    /** Of 24 hours, in percent */
    change: number;
  }[];
  /** When the snapshot was taken: ISO 8601, UTC */
  takenAt: string;
}

export interface MarketdataSparklinesInput {
  /** Coin ids such as btc-bitcoin */
  readonly ids?: readonly string[] | undefined;
  /** Coins of the list, in place of ids; 20 without either; from 1 to 100 */
  readonly limit?: number | undefined;
}

export interface MarketdataSparklinesData {
  /** Between two points but the last two: 14400 */
  stepSeconds: number;
  /** Time of the first point: ISO 8601, UTC */
  from: string;
  /** Time of the last point, when the snapshot was taken: ISO 8601, UTC */
  to: string;
  coins: (
    | {
        id: string;
        /** In USD, at the times of the grid, the price now last; null: not known */
        prices: (number | null)[];
        /** The weakest of the points, as `x-data-quality` has them */
        quality: 'exact' | 'sampled' | 'derived' | 'disputed' | 'stale';
        /** Who made them */
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
  /** false by default */
  readonly provenance?: boolean | undefined;
}

export interface MarketdataOhlcvData {
  coinId: string;
  interval: string;
  quote: string;
  count: number;
  data: {
    /** ISO 8601, UTC */
    time_open: string;
    /** ISO 8601, UTC: the last second of its interval; of the running candle, up to when it is known */
    time_close: string;
    open: number;
    high: number;
    low: number;
    close: number;
    volume: number | null;
    market_cap: number | null;
    /** With `provenance=true`: who made it */
    source?: string;
    /** With `provenance=true`: exact, sampled or derived, as `x-data-quality` has them */
    quality?: 'exact' | 'sampled' | 'derived';
    /** With `provenance=true`: whether it is closed and made of all hours or days of its interval; the first and the running one may not be */
    complete?: boolean;
  }[];
}

export interface MarketdataPriceInput {
  /** a coin id such as btc-bitcoin */
  readonly id: string;
  /** ISO 8601 dates or times that are not in the future, such as 2026-01-31T12:00:00Z; a date without a time is its first instant */
  readonly at: readonly string[];
  /** Seconds before the instant from which a price may be; from 1 to 31536000; 86400 by default */
  readonly within?: number | undefined;
}

export interface MarketdataPriceData {
  coinId: string;
  quote: 'usd';
  /** How many instants were asked for */
  count: number;
  data: ({
    /** What was asked for, as ISO 8601 in UTC */
    at: string;
    price: number;
    /** When it was the price: ISO 8601, UTC */
    time: string;
    /** Who told it */
    source: string;
    /** exact, sampled or derived, as `x-data-quality` has them */
    quality: 'exact' | 'sampled' | 'derived';
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
  /** By market cap, from 1; 0: unranked */
  rank: number;
  /** coin, token */
  type: 'coin' | 'token';
  /** Only a coin found by its id can be inactive */
  is_active: boolean;
  /** symbol, id or name */
  foundBy: 'symbol' | 'id' | 'name';
  /** How many other active coins have the text as their symbol */
  alternatives: number;
  /** Whether one of them may well be meant */
  isAmbiguous: boolean;
}

export interface MarketdataCoinInput {
  /** a coin id such as btc-bitcoin */
  readonly id: string;
}

export interface MarketdataCoinData {
  id: string;
  name: string;
  symbol: string;
  /** By market cap, from 1; 0: unranked */
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
  /** nextCursor of the page before */
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
}

export interface MarketdataConvertData {
  /** As asked for, without needless zeros */
  amount: string;
  from:
    | {
        kind: 'coin';
        id: string;
        symbol: string;
        name: string;
        /** Who says so; null for the US dollar */
        source: string | null;
        /** As `x-data-quality` has them */
        quality: 'exact' | 'disputed' | 'stale';
        /** When it was said: RFC 3339, UTC; null for the US dollar */
        dataTime: string | null;
      }
    | {
        kind: 'currency';
        code: string;
        /** Who says so; null for the US dollar */
        source: string | null;
        /** As `x-data-quality` has them */
        quality: 'exact' | 'disputed' | 'stale';
        /** When it was said: RFC 3339, UTC; null for the US dollar */
        dataTime: string | null;
      };
  to:
    | {
        kind: 'coin';
        id: string;
        symbol: string;
        name: string;
        /** Who says so; null for the US dollar */
        source: string | null;
        /** As `x-data-quality` has them */
        quality: 'exact' | 'disputed' | 'stale';
        /** When it was said: RFC 3339, UTC; null for the US dollar */
        dataTime: string | null;
      }
    | {
        kind: 'currency';
        code: string;
        /** Who says so; null for the US dollar */
        source: string | null;
        /** As `x-data-quality` has them */
        quality: 'exact' | 'disputed' | 'stale';
        /** When it was said: RFC 3339, UTC; null for the US dollar */
        dataTime: string | null;
      };
  /** One of `from` in `to` */
  rate: string;
  /** The amount in `to` */
  result: string;
  /** Of `rate` and `result` */
  rounding: '34 significant digits, half to even';
  /** Of the older of the two `dataTime`; null from US dollar to US dollar */
  ageSeconds: number | null;
}

export interface MarketdataValuationInput {
  /** a list of 1 to 200 objects with id or symbol, amount, and cost if wanted; amount and cost are each a text of decimal digits, up to 31 before and 64 after the point, without sign or exponent, such as 1.5 */
  readonly holdings: readonly {
    /** A coin id */
    readonly id?: string | undefined;
    /** In place of the id: as `resolve` takes it */
    readonly symbol?: string | undefined;
    /** a text of decimal digits, up to 31 before and 64 after the point, without sign or exponent, such as 1.5 */
    readonly amount: string;
    /** What all of it cost, in the currency of the valuation; written as `amount` */
    readonly cost?: string | undefined;
  }[];
  /** a currency's code of three letters, such as EUR; "usd" by default */
  readonly currency?: string | undefined;
}

export interface MarketdataValuationData {
  /** Its code */
  currency: string;
  /** Of all positions, in the currency; their values are added before they are rounded */
  total: string;
  /** Whether every holding is part of the total */
  isComplete: boolean;
  /** Of the total in 24 hours, in US dollars, as far as the changes of its positions are known; null if none is */
  change24hPercent: number | null;
  /** The share of the total whose change is known; null if the total is 0 */
  changeCoversPercent: number | null;
  positions: {
    /** Which of the holdings, from 0 */
    index: number;
    id: string;
    symbol: string;
    name: string;
    /** As given, without needless zeros */
    amount: string;
    /** Of one, in the currency */
    price: string;
    /** In the currency */
    value: string;
    /** Of the total; null if that is 0 */
    sharePercent: number | null;
    /** Of the price in US dollars; null if it is not known */
    change24hPercent: number | null;
    /** As given; null if it was not */
    cost: string | null;
    /** The value less the cost; null without a cost */
    profit: string | null;
    /** Of the cost; null without one, or if it is 0 */
    profitPercent: number | null;
    /** Who says so; null for the US dollar */
    source: string | null;
    /** As `x-data-quality` has them */
    quality: 'exact' | 'disputed' | 'stale';
    /** When it was said: RFC 3339, UTC; null for the US dollar */
    dataTime: string | null;
  }[];
  missing: {
    /** Which of the holdings, from 0 */
    index: number;
    /** As far as it is known */
    id: string | null;
    /** As given */
    symbol: string | null;
    /** As given, without needless zeros */
    amount: string;
    /** unknown: no coin goes by the name; ambiguous: the symbol is also the code of a currency, or not that of the id; unnamed: neither id nor symbol; unpriced: no price is at hand */
    reason: 'unknown' | 'ambiguous' | 'unnamed' | 'unpriced';
    /** The same in words, with what to do about it */
    message: string;
  }[];
  /** From US dollars, in which prices are, to the currency; null if that is the US dollar */
  exchangeRate: {
    /** One US dollar in the currency */
    oneUsd: string;
    /** Who says so; null for the US dollar */
    source: string | null;
    /** As `x-data-quality` has them */
    quality: 'exact' | 'disputed' | 'stale';
    /** When it was said: RFC 3339, UTC; null for the US dollar */
    dataTime: string | null;
  } | null;
  /** Of amounts of money */
  rounding: '34 significant digits, half to even';
}

export type MarketdataRatesInput = Record<string, never>;

export interface MarketdataRatesData {
  base: 'EUR';
  /** The day that the rates are of, such as 2026-01-30 */
  day: string;
  /** One euro in each currency, by ISO 4217 code in alphabetical order: decimal figures as texts */
  rates: Record<string, string>;
  /** The days of those rates that are of an earlier day, if any are: for up to a week the former rate stays of a currency that is missing, or more than 10 % off until the next day confirms it */
  days?: Record<string, string>;
  /** How many currencies there are */
  count: number;
}

export interface UniswapQuoteInput {
  /** a token's address, or ETH (0xEeee…EEeE and the zero address are taken for it) */
  readonly tokenIn: string;
  /** a token's address, or ETH (0xEeee…EEeE and the zero address are taken for it) */
  readonly tokenOut: string;
  /** a positive integer of base units (wei, for ETH), as a text of decimal digits */
  readonly amount: string;
  /** The chain; `local` is a node on your own machine; the first that is served unless told */
  readonly chain?: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local' | undefined;
  /** Only routes that this router trades, say one that was approved */
  readonly router?: 'SwapRouter02' | 'V2Router02' | undefined;
}

export interface UniswapQuoteData {
  /** In base units of tokenOut */
  amountOut: string;
  /** True if `amountOut` is what arrives: the trade was tried, or its tokens keep nothing of a transfer. False if it is what the pools pay, of which a token may keep a part */
  verified: boolean;
  fee: {
    /** What the pools keep of the input, in its base units */
    amount: string;
    /** The input: its address, or ETH */
    currency: string;
    /** Of each hop, in millionths: 3000 is 0.3 % */
    tiers: number[];
  };
  /** The pools that the trade goes through, in order; none where ETH is wrapped or unwrapped */
  route: {
    type: 'v2' | 'v3';
    /** Of the pool */
    pool: `0x${string}`;
    /** In millionths */
    feeTier: number;
    /** ETH is shown as its wrapped token */
    tokenIn: `0x${string}`;
    /** ETH is shown as its wrapped token */
    tokenOut: `0x${string}`;
  }[];
  /** By how many percent the trade is worse than the price before it, pool fees aside */
  priceImpact: number;
  /** The block at which all this is true */
  block: number;
  /** Of that block */
  blockHash: `0x${string}`;
  /** About what the whole swap uses, in units of gas */
  gasEstimate: string;
  gasCost: string | null;
  /** The tokens of the route, in order; null is what is not known */
  tokens: {
    /** Of the token */
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
  /** an integer of base units, as a text of decimal digits; 0 takes an approval back */
  readonly amount: string;
  /** The chain; `local` is a node on your own machine; the first that is served unless told */
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
  /** In wei, to send along */
  value: string;
  /** More than the node's estimate, or than a trial used, by a fifth at least */
  gasLimit: string;
  /** The only chain that it is meant for */
  chainId: number;
  /** The contract that takes the token; null where none is taken */
  spender: `0x${string}` | null;
  /** What it does, in one line for a wallet to show */
  summary: string;
  /** The address that is to sign it; null for any */
  from: `0x${string}` | null;
  /** To send first, where the token takes an allowance back before it gives a new one */
  reset: {
    /** The contract to call */
    to: `0x${string}`;
    /** Calldata */
    data: `0x${string}`;
    /** In wei, to send along */
    value: string;
    /** More than the node's estimate, or than a trial used, by a fifth at least */
    gasLimit: string;
  } | null;
}

export interface UniswapSwapInput {
  /** a token's address, or ETH (0xEeee…EEeE and the zero address are taken for it) */
  readonly tokenIn: string;
  /** a token's address, or ETH (0xEeee…EEeE and the zero address are taken for it) */
  readonly tokenOut: string;
  /** a positive integer of base units (wei, for ETH), as a text of decimal digits */
  readonly amount: string;
  /** The chain; `local` is a node on your own machine; the first that is served unless told */
  readonly chain?: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local' | undefined;
  /** Only routes that this router trades, say one that was approved */
  readonly router?: 'SwapRouter02' | 'V2Router02' | undefined;
  /** the address that gets the output */
  readonly recipient: string;
  /** the address that will sign and pay; the recipient unless told */
  readonly sender?: string | undefined;
  /** from 0 to 5000; 50 by default */
  readonly slippageBps?: number | undefined;
  /** the least to accept, in base units of tokenOut; slippageBps then counts for nothing */
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
  /** In wei, to send along */
  value: string;
  /** More than the node's estimate, or than a trial used, by a fifth at least */
  gasLimit: string;
  /** The only chain that it is meant for */
  chainId: number;
  /** The contract that takes the token; null where none is taken */
  spender: `0x${string}` | null;
  /** What it does, in one line for a wallet to show */
  summary: string;
  /** The only address that is to sign it */
  from: `0x${string}`;
  /** Gets the output */
  recipient: `0x${string}`;
  /** The swap reverts below it; in base units of tokenOut */
  minAmountOut: string;
  /** In seconds since 1970, after which the router refuses it */
  deadline: number;
  /** What the swap lacks as things are; to be sent after its cure, or together with it */
  issues: {
    /** To be cured by an approval; null if there is enough */
    allowance: {
      /** What the spender may take of the input today */
      actual: string;
      /** What the swap takes */
      required: string;
      /** To approve */
      spender: `0x${string}`;
    } | null;
    /** Null if the sender has enough */
    balance: {
      /** Its address, or ETH */
      token: string;
      /** What the sender has */
      actual: string;
      /** What the swap takes */
      required: string;
    } | null;
    /** Why the swap could not be tried, so that amounts are the quote's; null if it was */
    simulation: string | null;
  };
  quote: UniswapQuoteData;
}

export interface AggregatorQuoteInput {
  /** a token's address, or ETH (0xEeee…EEeE and the zero address are taken for it) */
  readonly tokenIn: string;
  /** a token's address, or ETH (0xEeee…EEeE and the zero address are taken for it) */
  readonly tokenOut: string;
  /** a positive integer of base units, as decimal digits */
  readonly amount: string;
  /** The chain; "mainnet" by default */
  readonly chain?: 'mainnet' | 'base' | 'arbitrum' | undefined;
  /** the address that will sign and pay; without it there is no transaction */
  readonly sender?: string | undefined;
  /** the address that gets the output; the sender unless told */
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
    /** 0x's own fee, which amountOut has lost already; what pools keep is in the price */
    amount: string;
    /** Its address, or ETH */
    currency: string;
    /** Empty: 0x does not tell the fees of pools */
    tiers: number[];
  };
  /** The parts into which the trade is divided, in order */
  route: {
    /** A venue, as 0x calls it */
    source: string;
    /** Of the amount from tokenIn to tokenOut, in hundredths of a percent */
    shareBps: number;
    /** ETH is shown as its wrapped token */
    tokenIn: `0x${string}`;
    /** ETH is shown as its wrapped token */
    tokenOut: `0x${string}`;
  }[];
  /** 0x does not tell */
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
    /** As 0x has it: anybody may choose one */
    symbol: string | null;
    /** 0x does not tell */
    decimals: null;
    /** What it keeps when bought, in hundredths of a percent; null if 0x cannot tell */
    buyTaxBps: number | null;
    /** What it keeps when sold, in hundredths of a percent; null if 0x cannot tell */
    sellTaxBps: number | null;
  }[];
  /** There is but one contract to call */
  router: null;
  /** Null if nothing is */
  spender: `0x${string}` | null;
  /** The block at which 0x looked at its sources */
  block: number;
  /** 0x does not tell */
  blockHash: null;
  /** Unsigned; null without `sender` */
  transaction: {
    /** The contract to call */
    to: `0x${string}`;
    /** Calldata */
    data: `0x${string}`;
    /** In wei, to send along */
    value: string;
    /** Null if 0x could not try the swap: let the wallet estimate it once the issues are cured */
    gasLimit: string | null;
    /** The only chain that it is meant for */
    chainId: number;
    /** The contract that takes the token; null where none is taken */
    spender: `0x${string}` | null;
    /** What it does, in one line for a wallet to show */
    summary: string;
    /** The only address that is to sign it */
    from: `0x${string}`;
    /** Gets the output */
    recipient: `0x${string}`;
    /** The swap reverts below it; in base units of tokenOut */
    minAmountOut: string;
    /** What the swap lacks as things are; to be sent after its cure, or together with it */
    issues: {
      /** To be cured by an approval; null if there is enough */
      allowance: {
        /** What the spender may take of the input today */
        actual: string;
        /** What the swap takes */
        required: string;
        /** To approve */
        spender: `0x${string}`;
      } | null;
      /** Null if the sender has enough */
      balance: {
        /** Its address, or ETH */
        token: string;
        /** What the sender has */
        actual: string;
        /** What the swap takes */
        required: string;
      } | null;
      /** Why the swap could not be tried, so that amounts are the quote's; null if it was */
      simulation: string | null;
    };
  } | null;
}

export type RpcChainsInput = Record<string, never>;

export interface RpcChainsData {
  /** The chain of a request that names none */
  default: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local';
  chains: {
    /** As `chain` takes it */
    name: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local';
    /** As wallets know it (EIP-155) */
    chainId: number;
    /** Its native token is worth nothing */
    testnet: boolean;
    nativeSymbol: string;
    /** The token that wraps the native one, as pools trade it */
    wrappedNative: `0x${string}`;
    /** Those that this service knows: routes pass through them, and it shows them by symbol */
    tokens: {
      symbol: string;
      /** Of the token */
      address: `0x${string}`;
      decimals: number;
    }[];
  }[];
}

export interface RpcProxyInput {
  /** The chain; `local` is a node on your own machine */
  readonly chain: 'mainnet' | 'base' | 'arbitrum' | 'sepolia' | 'local';
  readonly jsonrpc?: '2.0' | undefined;
  /** a text or a number, as JSON-RPC has it; not repeated in the answer */
  readonly id?: string | number | undefined;
  /** a JSON-RPC method such as eth_blockNumber */
  readonly method: string;
  /** a list, as the method has it; [] by default */
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
  /** For reading the status */
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
  /** For reading the status */
  requestId: string;
  /** The transfer's hash */
  txHash: `0x${string}`;
  /** In wei */
  amount: string;
  /** A test network; `local` is a node on your own machine */
  network: 'sepolia' | 'local';
  /** `failed`: mined without effect, or another transaction used its nonce for good */
  status: 'pending' | 'confirmed' | 'failed';
  /** Blocks from its own to the newest; 0: not mined yet */
  confirmations: number;
}

/** One method for each route, by domain. */
export interface Client {
  readonly marketdata: {
    /** Current price and market figures of one coin. */
    readonly ticker: Method<MarketdataTickerInput, RatedAnswer<MarketdataTickerData>>;
    /**
     * Current prices and market figures of up to 100 coins, or of all listed coins page by page.
     * Answers from what is stored, and asks no provider. Coins that are named come in the order asked, each in its place as often as it is named; a comma always separates, and a `+` is `%2B`; one that is unknown or not at hand is an item with `error` and fails nothing. Without names: the coins of the ticker snapshot in the order of `sort`, best first, unknown values last, ties by rank and then id. A page begins after the figures that the page before ended with: coins whose figures stayed come once and none of them is left out, also when a newer snapshot was published meanwhile.
     */
    readonly tickers: Method<MarketdataTickersInput, RatedAnswer<MarketdataTickersData>>;
    /**
     * The market at a glance: totals, the two largest coins, and the day’s gainers and losers.
     * Adds up the coins of the ticker snapshot, the largest that the provider’s plan lists, and no others. Rows that were kept from an earlier snapshot, or were more than an hour old in this one, are in no figure.
     */
    readonly overview: Method<MarketdataOverviewInput, RatedAnswer<MarketdataOverviewData>>;
    /**
     * A week of prices of up to 100 coins, a point every four hours, for small charts.
     * Answers from what is stored, and asks no provider. All coins have their points at the same times: the closes at multiples of four hours, UTC, of the seven days before the ticker snapshot, then the price in it. A point that is not known is null. Coins that are named come in the order asked, each in its place as often as it is named; one that is unknown, or of which there is no price, is an item with `error` and fails nothing. Without names: the first of the snapshot by rank.
     */
    readonly sparklines: Method<MarketdataSparklinesInput, RatedAnswer<MarketdataSparklinesData>>;
    /** Candles (open, high, low, close, volume) of one coin. */
    readonly ohlcv: Method<MarketdataOhlcvInput, RatedAnswer<MarketdataOhlcvData>>;
    /**
     * The price of one coin at instants of the past.
     * For each instant the nearest known price at or before it, with the time at which it was the price: that of a ticker, of a sample taken every ten minutes (for 35 days), or the close of an hour or a day. Nothing is interpolated. An instant without a known price is `null` in a list, and a 404 that names its neighbours if it is the only one.
     */
    readonly price: Method<MarketdataPriceInput, RatedAnswer<MarketdataPriceData>>;
    /** Coins by symbol, name or id, with typos forgiven. */
    readonly search: Method<MarketdataSearchInput, DatedAnswer<MarketdataSearchData>>;
    /**
     * The coin that a symbol, an id or a name stands for.
     * A symbol stands for the active, ranked coin of the lowest rank; at equal rank a coin goes before a token. Symbols compare without regard to case and surrounding space. What is no symbol is looked up as an id and then as a name. A text with a hyphen is an id first, and a name goes before the symbol of a far less known coin: `Bitcoin` is BTC.
     */
    readonly resolve: Method<MarketdataResolveInput, DatedAnswer<MarketdataResolveData>>;
    /** One coin of the registry. */
    readonly coin: Method<MarketdataCoinInput, DatedAnswer<MarketdataCoinData>>;
    /** Coins of one symbol, or all active coins page by page, in rank order. */
    readonly coins: Method<MarketdataCoinsInput, DatedAnswer<MarketdataCoinsData>>;
    /**
     * An amount of one coin or currency in another.
     * From prices and exchange rates that are at hand; nobody is asked for one. Three letters that are the code of a known currency (USD, EUR and those that there are rates of; any case) are the currency; anything else is a coin id, or a symbol, which stands for the coin that `resolve` says. A coin whose symbol is the code of a currency is reached by its id. `rate` and `result` are rounded once, to 34 significant digits, half to even.
     */
    readonly convert: Method<MarketdataConvertInput, RatedAnswer<MarketdataConvertData>>;
    /**
     * What holdings are worth.
     * From prices and exchange rates that are at hand; nobody is asked for one. Each holding is a position of its own, also of a coin that comes twice. Those without a price are named in `missing` and are not part of the total. Amounts of money are rounded once, to 34 significant digits, half to even; percentages to four decimals, and null beyond 10^15. Unknown fields are refused.
     */
    readonly valuation: Method<MarketdataValuationInput, RatedAnswer<MarketdataValuationData>>;
    /**
     * One euro in other currencies.
     * The euro’s reference rates of the last working day that has any, published in the afternoon (Frankfurt). They are for information, not for transactions. Rates older than four days are `stale`: newer ones are missing.
     */
    readonly rates: Method<MarketdataRatesInput, RatedAnswer<MarketdataRatesData>>;
  };
  readonly uniswap: {
    /**
     * The best amount out of Uniswap V2 and V3 for an exact amount in.
     * All V3 fee tiers and V2, direct and through the common intermediate tokens, also one after the other, at the newest block. What is left after gas decides. A trade of ETH for a token that is not common is tried, so that `amountOut` is what arrives; `verified` says whether it is.
     */
    readonly quote: Method<UniswapQuoteInput, Answer<UniswapQuoteData>>;
    /**
     * An unsigned approval that lets a Uniswap router take a token.
     * Sign and send it before a swap of the token, or together with it. SwapRouter02 trades in V2 and V3; the `router` of a quote says which one its swap will call. Tell the `owner` of a token like Tether, which does not change an allowance before it is taken back: `reset` is then to be sent first. ETH needs no approval.
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
     * The best amount out of all sources that 0x knows, and the unsigned transaction for it.
     * Without `sender`, an indicative price; with it, a firm quote and the transaction for `sender` to sign, which pays `recipient` at least `minAmountOut`, or reverts. 0x tells no price impact, so there is no limit for it here.
     */
    readonly quote: Method<AggregatorQuoteInput, Answer<AggregatorQuoteData>>;
  };
  readonly rpc: {
    /**
     * The chains that this service serves, with their tokens.
     * Those whose node is configured, in the order of preference. No node is asked.
     */
    readonly chains: Method<RpcChainsInput, Answer<RpcChainsData>>;
    /**
     * One read from a chain's node, without its key.
     * One JSON-RPC request of the methods that only read; `data` is its result. No batches. eth_getLogs looks through at most 1,000 blocks, eth_feeHistory at most 1,024 with 100 percentiles. A call has at most 50 million gas and replaces state but no code; eth_simulateV1 makes at most 8 blocks with 32 calls in all. Unknown fields are refused. An answer is at most 1 MB, and neither it nor `params` is nested more than 64 levels deep. At ten requests a minute it is a convenience, not a node.
     */
    readonly proxy: Method<RpcProxyInput, Answer<RpcProxyData>>;
  };
  readonly faucet: {
    /**
     * A little of a test network's currency for an address.
     * The one route that signs, and only on test networks. An address gets one grant of a network in 24 hours, a client five a day; 429 says when the next one is possible. An address that has enough is a 400. `status` is `pending`: read it again with the id.
     */
    readonly request: Method<FaucetRequestInput, Answer<FaucetRequestData>, IdempotentCallOptions>;
    /** What became of a faucet request. */
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
