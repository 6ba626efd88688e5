/** The gate in front of providers: every response passes a check of its kind before it is stored. */
import { MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import type { Candle } from '../candles.ts';
import type { Expected, Offer, Offering, Offers, ProviderRequest } from '../provider.ts';
import { type ListedMarket, type Market, type MarketQuote, pairOf } from '../sources/market.ts';
import { type Contract, type TokenHistory, type TokenPrice, tokenKey } from '../sources/token.ts';
import type { Span } from '../window.ts';
import { FIRST_TIME, isChange, isPrice } from './bounds.ts';
import { Implausible, type Problem, possibleRows } from './implausible.ts';
import { plausibleCandles, plausiblePrices } from './series.ts';
import { plausibleTicker } from './ticker.ts';
import { plausibleTickers } from './tickers.ts';

/** The provider with its coin data behind the gate. */
export function gated<O extends Offer>(provider: Offering<O>): Offering<O> {
  const { ticker, tickers, candles, prices, coins }: Partial<Offers> = provider;
  const behindGate: Partial<Offers> = {
    ...(ticker && {
      ticker: checked(ticker, 'this ticker', (data, expected, id) => plausibleTicker(data, id, expected)),
    }),
    ...(tickers && { tickers: checked(tickers, 'these tickers', plausibleTickers) }),
    ...(candles && { candles: checked(candles, 'this history', candlesOf) }),
    ...(prices && {
      prices: checked(prices, 'this history', (rows, { held, price }, { window }, from) =>
        plausiblePrices(rows, { ...window, from }, { held: held?.data, price }),
      ),
    }),
    // The registry itself checks how lists of coins follow each other (shared/registry).
    ...(coins && { coins: checked(coins, 'the list of coins', (list) => list) }),
  };
  return { ...provider, ...behindGate };
}

/** An offer whose requests have their data checked; `subject` names the data in the text of a refusal. */
export function checked<Query extends readonly unknown[], T>(
  offer: (...query: Query) => ProviderRequest<T>,
  subject: string,
  check: (data: T, expected: Expected<T>, ...query: Query) => T,
): (...query: Query) => ProviderRequest<T> {
  return (...query) => ({
    ...offer(...query),
    subject,
    check: (data, expected) => check(data, expected, ...query),
  });
}

function candlesOf(
  rows: Candle[],
  { held, price }: Expected<Candle[]>,
  { window }: { readonly window: Span },
): Candle[] {
  return plausibleCandles(rows, window, { held: held?.data, price });
}

type Exchange = Offering<'markets' | 'quotes' | 'marketCandles'>;

export function gatedExchange(exchange: Exchange): Exchange {
  const { markets, quotes, marketCandles } = exchange;
  return {
    ...exchange,
    markets: checked(markets, 'the list of markets', plausibleMarkets),
    quotes: checked(quotes, 'these prices', (rows, _expected, ids) => plausibleQuotes(rows, ids)),
    marketCandles: checked(marketCandles, 'this history', candlesOf),
  };
}

type TokenSource = Offering<'tokenPrices' | 'tokenHistory'>;

export function gatedTokens(source: TokenSource): TokenSource {
  return {
    ...source,
    tokenPrices: checked(source.tokenPrices, 'these token prices', plausibleTokenPrices),
    tokenHistory: checked(source.tokenHistory, 'this history', (all) => all.map(plausibleTokenHistory)),
  };
}

type ContractSource = Offering<'platforms' | 'contracts'>;

export function gatedContracts(source: ContractSource): ContractSource {
  return {
    ...source,
    contracts: checked(source.contracts, 'this list of contracts', plausibleContracts),
  };
}

export function gatedListings(source: Offering<'exchangeMarkets'>): Offering<'exchangeMarkets'> {
  const { exchangeMarkets } = source;
  return { ...source, exchangeMarkets: checked(exchangeMarkets, 'this list of markets', plausibleListings) };
}

/** The longest accepted name of a market or asset; real ones have up to some twenty characters. */
const MAX_NAME_LENGTH = 64;
/** The longest accepted coin id or contract address. */
const MAX_TEXT_LENGTH = 200;
/** A price older than this, by the exchange's own time, is not current. */
const MAX_AGE_MS = 30 * 60_000;

/** An exchange's markets, each once. Throws Implausible if a tenth are impossible, or none is open. */
function plausibleMarkets(markets: readonly Market[]): Market[] {
  const plausible = oneForEachMarket(
    markets,
    ({ id }) => id,
    ({ id, base, quote }) => ([id, base, quote].every(isName) ? undefined : ['Text', 'a name that is none']),
  );
  if (!plausible.some(({ isOpen }) => isOpen)) throw new Implausible('Empty', 'no open market');
  return plausible;
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && text.isWellFormed() && /^[^\s\p{Cc}\p{Cf}]+$/u.test(text);
}

/**
 * The last prices of the markets `ids`, each once, without old ones. Throws Implausible if a tenth are impossible, or if
 * several markets have no price at all. An impossible change counts as none.
 */
function plausibleQuotes(quotes: readonly MarketQuote[], ids: readonly string[]): MarketQuote[] {
  const known = new Set(ids);
  const now = Date.now();
  const isRecent = ({ at }: MarketQuote) => at === null || !(at < now - MAX_AGE_MS);
  const recent = quotes.filter((quote) => known.has(quote.market) && isRecent(quote));
  if (recent.length === 0 && ids.length > 1)
    throw new Implausible('Empty', `no price of now of ${ids.length} markets`);
  return oneForEachMarket(
    recent,
    ({ market }) => market,
    ({ price, volume, at }) => {
      if (at !== null && !(at <= now + MAX_CLOCK_LEAD_MS)) return ['Time', `a price of ${at} ms`];
      if (!isPrice(price)) return ['Price', `a price of ${price}`];
      return volume >= 0 && Number.isFinite(volume) ? undefined : ['Price', `a volume of ${volume}`];
    },
  ).map((quote) => (quote.change === null || isChange(quote.change) ? quote : { ...quote, change: null }));
}

function oneForEachMarket<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  problemOf: (row: Row) => Problem | undefined,
): Row[] {
  const possible = possibleRows(rows, nameOf, (row, isRepeated) => {
    const [reason, text] =
      problemOf(row) ?? (isRepeated ? (['Identity', 'two rows for one market'] as const) : []);
    return reason && [reason, `${text} (${JSON.stringify(nameOf(row).slice(0, 40))})`];
  });
  return [...possible.values()].filter((row) => row !== undefined);
}

/** Throws Implausible if one token has two prices, or if those that are impossible are several and a tenth. */
function plausibleTokenPrices(prices: readonly TokenPrice[]): readonly TokenPrice[] {
  if (new Set(prices.map(({ token }) => tokenKey(token))).size < prices.length)
    throw new Implausible('Identity', 'a token twice');
  return withoutImpossible(prices, ({ price, at, confidence }) => {
    if (!isPrice(price)) return ['Price', `a price of ${price}`];
    if (!(confidence >= 0 && confidence <= 1)) return ['Price', `a confidence of ${confidence}`];
    return isTime(at) ? undefined : ['Time', `a time of ${at / 1000} s`];
  });
}

/** The points of a history, ascending. Throws Implausible if those that are impossible are several and a tenth. */
function plausibleTokenHistory(history: TokenHistory): TokenHistory {
  const { token, prices } = history;
  const possible = withoutImpossible(prices, ({ price, at }) => {
    if (!isPrice(price)) return ['Price', `a price of ${price} of ${token}`];
    return isTime(at) ? undefined : ['Time', `a time of ${at / 1000} s of ${token}`];
  });
  return { ...history, prices: possible.toSorted((a, b) => a.at - b.at) };
}

function plausibleContracts(contracts: readonly Contract[]): readonly Contract[] {
  return withoutImpossible(contracts, ({ coinId, address }) =>
    isText(coinId) && isText(address)
      ? undefined
      : ['Text', `a contract ${JSON.stringify(address.slice(0, 100))}`],
  );
}

function plausibleListings(markets: readonly ListedMarket[]): readonly ListedMarket[] {
  return withoutImpossible(markets, (market) =>
    isName(market.base) && isName(market.quote) && isText(market.coinId)
      ? undefined
      : ['Text', `a market ${JSON.stringify(pairOf(market).slice(0, 100))}`],
  );
}

function isText(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_TEXT_LENGTH && text.isWellFormed();
}

/** A time in milliseconds instead of seconds lies in the far future. */
function isTime(at: number): boolean {
  return at >= FIRST_TIME && at <= Date.now() + MAX_CLOCK_LEAD_MS;
}

/** One impossible row is left out of a short list too, because the others are of other tokens. */
function withoutImpossible<Row>(
  rows: readonly Row[],
  problemOf: (row: Row) => Problem | undefined,
): readonly Row[] {
  const possible = possibleRows(
    rows.entries(),
    ([index]) => index,
    ([, row]) => problemOf(row),
    {
      mayBeOne: true,
    },
  );
  return [...possible.values()].flatMap((entry) => (entry ? [entry[1]] : []));
}
