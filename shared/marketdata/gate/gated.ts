import type { Expected, Offer, Offering, Offers, ProviderRequest } from '../provider.ts';
import { plausibleCandles, plausiblePrices } from './series.ts';
import { plausibleTicker } from './ticker.ts';
import { plausibleTickers } from './tickers.ts';

/** The provider, with everything that it offers passing the gate between reading and remembering. */
export function gated<O extends Offer>(provider: Offering<O>): Offering<O> {
  const offers: Partial<Offers> = provider;
  const { ticker, tickers, candles, prices, coins } = offers;
  const behindGate: Partial<Offers> = {
    ...(ticker && {
      ticker: (id) =>
        checked(ticker(id), 'this ticker', (data, expected) => plausibleTicker(data, id, expected)),
    }),
    ...(tickers && { tickers: () => checked(tickers(), 'these tickers', plausibleTickers) }),
    ...(candles && {
      candles: (query) =>
        checked(candles(query), 'this history', (rows, { held, price }) =>
          plausibleCandles(rows, query.window, { held: held?.data, price }),
        ),
    }),
    ...(prices && {
      prices: (query, from) =>
        checked(prices(query, from), 'this history', (rows, { held, price }) =>
          plausiblePrices(rows, { ...query.window, from }, { held: held?.data, price }),
        ),
    }),
    // What a list of coins must be to follow another is the registry's affair (shared/registry).
    ...(coins && { coins: () => ({ ...coins(), asked: 'the list of coins' }) }),
  };
  return { ...provider, ...behindGate };
}

/** The request with a look at what comes of it; `asked` names that in the text of a refusal. */
export function checked<T>(
  request: ProviderRequest<T>,
  asked: string,
  check: (data: T, expected: Expected<T>) => T,
): ProviderRequest<T> {
  return { ...request, asked, check };
}
