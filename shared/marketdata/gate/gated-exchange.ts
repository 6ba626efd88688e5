import type { Offering } from '../provider.ts';
import { checked } from './gated.ts';
import { plausibleMarkets, plausibleQuotes } from './markets.ts';
import { plausibleCandles } from './series.ts';

type Exchange = Offering<'markets' | 'quotes' | 'marketCandles'>;

/** An exchange with all that it tells passing the gate. Apart from `gated`, which every function of a route carries. */
export function gatedExchange(exchange: Exchange): Exchange {
  const { markets, quotes, marketCandles } = exchange;
  return {
    ...exchange,
    markets: () => checked(markets(), 'the list of markets', plausibleMarkets),
    quotes: (asked) => checked(quotes(asked), 'these prices', (rows) => plausibleQuotes(rows, asked)),
    marketCandles: (query) =>
      checked(marketCandles(query), 'this history', (rows, { held, price }) =>
        plausibleCandles(rows, query.window, { held: held?.data, price }),
      ),
  };
}
