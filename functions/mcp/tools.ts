import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import type { Route } from '../../shared/http/route.ts';
import { route as coin } from '../marketdata/coin/route.ts';
import { route as convert } from '../marketdata/convert/route.ts';
import { route as ohlcv } from '../marketdata/ohlcv/route.ts';
import { route as overview } from '../marketdata/overview/route.ts';
import { route as price } from '../marketdata/price/route.ts';
import { route as rates } from '../marketdata/rates/route.ts';
import { route as resolve } from '../marketdata/resolve/route.ts';
import { route as search } from '../marketdata/search/route.ts';
import { route as ticker } from '../marketdata/ticker/route.ts';
import { route as tickers } from '../marketdata/tickers/route.ts';
import { route as valuation } from '../marketdata/valuation/route.ts';

/** A route as an assistant calls it. */
export interface Tool {
  readonly name: string;
  /** When to use it: assistants choose a tool only by this text. */
  readonly description: string;
  readonly route: Route;
  /** Loads the route's own handler. */
  readonly load: () => Promise<{ readonly handler: LambdaHandler }>;
}

/** The tools in the order of the list: at most twelve, because every conversation carries all of them. */
export const tools: readonly Tool[] = [
  {
    name: 'search_coins',
    description:
      'Finds coins by name, symbol or id, best match first, tolerating typos. Use it first whenever you do not know the exact coin id that the other tools need, or when several coins might be meant.',
    route: search,
    load: () => import('../marketdata/search/handler.ts'),
  },
  {
    name: 'resolve_symbol',
    description:
      'The one coin that a ticker symbol such as BTC most likely stands for: the active one of the best rank. Use it when a symbol is given and nothing says that a lesser-known coin is meant.',
    route: resolve,
    load: () => import('../marketdata/resolve/handler.ts'),
  },
  {
    name: 'get_coin',
    description:
      'Name, symbol, rank and type of a coin, and whether it is still traded. Use it to check an id; it has no prices.',
    route: coin,
    load: () => import('../marketdata/coin/handler.ts'),
  },
  {
    name: 'get_ticker',
    description:
      'The current price of one coin in US dollars, with market cap, supply, volume of the day and changes in percent from 15 minutes to a year. Use it for the current price of a coin and its recent changes.',
    route: ticker,
    load: () => import('../marketdata/ticker/handler.ts'),
  },
  {
    name: 'get_tickers',
    description:
      'The current figures of up to 100 coins at once, or the largest ones by rank, volume or change of the day. Use it to compare coins or to list them; keep limit small.',
    route: tickers,
    load: () => import('../marketdata/tickers/handler.ts'),
  },
  {
    name: 'get_market_overview',
    description:
      'The whole market at a glance: total market cap and volume, shares of the two largest coins, gainers and losers of the day. Use it for the state of the market.',
    route: overview,
    load: () => import('../marketdata/overview/handler.ts'),
  },
  {
    name: 'get_candles',
    description:
      'Open, high, low, close and volume of one coin, by the hour, the day or longer, oldest first, in US dollars, bitcoin or any currency. Use it for the development of a price, for highs and lows, and for charts; keep limit small.',
    route: ohlcv,
    load: () => import('../marketdata/ohlcv/handler.ts'),
  },
  {
    name: 'get_price_at',
    description:
      'The price of one coin at given times of the past, such as when something was bought, in US dollars or, at that day’s exchange rate, in any currency. Use it for single instants; for how a price went between two of them use get_candles.',
    route: price,
    load: () => import('../marketdata/price/handler.ts'),
  },
  {
    name: 'convert_amount',
    description:
      'An amount of one coin or currency in another, at current prices or those of a past instant, in exact decimals. Use it for every conversion instead of multiplying prices yourself.',
    route: convert,
    load: () => import('../marketdata/convert/handler.ts'),
  },
  {
    name: 'value_holdings',
    description:
      'The value of a list of holdings in a currency, now or at a past instant: the total, each position, its share, its change of the day and, with costs, its profit. Use it for portfolios.',
    route: valuation,
    load: () => import('../marketdata/valuation/handler.ts'),
  },
  {
    name: 'get_euro_rates',
    description:
      'One euro in some 160 currencies, and in gold, silver, platinum and palladium, by the rates of the last working day. Use it for rates between currencies themselves; for amounts use convert_amount.',
    route: rates,
    load: () => import('../marketdata/rates/handler.ts'),
  },
];
