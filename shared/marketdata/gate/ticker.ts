import { count } from '../../platform/metrics.ts';
import { HOUR_MS, MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import { foldText, symbolKey } from '../../registry/fold.ts';
import type { Expected, Labels } from '../provider.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';
import {
  AMOUNTS,
  FACTORS,
  isBeyond,
  isChange,
  isFar,
  isNear,
  isPrice,
  MAX_PRICE,
  priceStepIn,
} from './bounds.ts';
import { isContinued, supplyIn, withBelieved } from './figures.ts';
import { Implausible, OtherSymbol, shown } from './implausible.ts';

/** Ten times the longest real text. */
const MAX_TEXT_LENGTH = 1000;
const SUPPLIES = ['circulating_supply', 'total_supply', 'max_supply'] as const;
/** Amounts in USD, and the largest that may be true. */
const MOST = {
  volume_24h: AMOUNTS.maxVolume,
  market_cap: AMOUNTS.maxMarketCap,
  ath_price: MAX_PRICE,
} as const;
const AMOUNTS_IN_USD = ['volume_24h', 'market_cap', 'ath_price'] as const;
/** Figures in percent. */
const CHANGES = [
  ...(['volume_24h_change_24h', 'market_cap_change_24h', 'percent_from_price_ath'] as const),
  ...(['percent_change_15m', 'percent_change_30m', 'percent_change_1h', 'percent_change_6h'] as const),
  ...(['percent_change_12h', 'percent_change_24h', 'percent_change_7d', 'percent_change_30d'] as const),
  'percent_change_1y',
] as const;
/** Real ones are between -5 and 10. */
const MAX_BETA = 100;
/** The time after which the provider's figure is accepted: the known one may have been false itself. */
const COMPARED_FOR_MS = HOUR_MS;
/** A smaller volume is possible at any market cap. */
const LARGE_VOLUME = 1e9;

/**
 * Checks a requested ticker and drops impossible figures beside its price; one that contradicts a last good ticker of at most an
 * hour ago is replaced by that ticker's. Throws Implausible.
 */
export function plausibleTicker(ticker: Ticker, id: string, expected: Expected<Ticker>): Ticker {
  if (ticker.id !== id) {
    throw new Implausible('Identity', `the ticker of ${shown(ticker.id)} in place of that of ${shown(id)}`);
  }
  checkTexts(ticker);
  const { held, labels } = expected;
  const plausible =
    labels && isRelabelled(ticker, labels)
      ? withNames(ticker, namesOf(ticker, labels, expected), expected)
      : plausibleRow(ticker, expected);
  if (held && isOlder(ticker, held.data)) {
    const time = ticker.last_updated ?? 'no time';
    throw new Implausible(
      'Older',
      `a ticker of ${time}, where the one of ${held.data.last_updated} is known`,
    );
  }
  const isRecent = held !== undefined && Date.now() - held.madeAt < COMPARED_FOR_MS;
  if (!isRecent) return withoutContradiction(plausible);
  const was = held.data.quotes.USD.price;
  const is = plausible.quotes.USD.price;
  const elapsedMs = (tickerMadeAt(plausible) ?? Date.now()) - held.madeAt;
  if (was && is && isBeyond(priceStepIn(elapsedMs), was, is))
    throw new Implausible('Jump', `a price of ${is}, which was ${was}`);
  return withBelieved(plausible, held.data, undefined).ticker;
}

/** A row under these names in place of its own, checked as `plausibleRow` does. */
export function withNames(ticker: Ticker, labels: Labels, expected: Expected<Ticker>, now?: number): Ticker {
  return plausibleRow({ ...ticker, symbol: labels.symbol }, { ...expected, labels }, now);
}

/**
 * The names of a requested ticker under another symbol than the registry's: those of the known ticker if it has that symbol, otherwise
 * the registry's. Throws OtherSymbol if its price is not the coin's, or, without a known one, neither name nor id are.
 */
function namesOf(ticker: Ticker, labels: Labels, { held, price }: Expected<Ticker>): Labels {
  if (held && symbolKey(held.data.symbol) === symbolKey(ticker.symbol)) return held.data;
  const was = held?.data.quotes.USD.price ?? price;
  const is = ticker.quotes.USD.price;
  const isSame = was
    ? (is && isNear(was, is)) || (held && isContinued(ticker, held))
    : foldText(ticker.name) === foldText(labels.name) || isInId(ticker);
  if (isSame) return labels;
  throw new OtherSymbol(ticker.symbol, labels.symbol);
}

/** Whether the id contains the symbol, as `rndr-render-token` does since its coin is RENDER. */
function isInId({ id, symbol }: Ticker): boolean {
  const words = foldText(symbol);
  return words !== '' && ` ${foldText(id)} `.includes(` ${words} `);
}

/** Whether it is older than the known one, or has no usable time. */
export function isOlder(ticker: Ticker, held: Ticker): boolean {
  const heldAt = tickerMadeAt(held);
  return heldAt !== undefined && (tickerMadeAt(ticker) ?? Number.NEGATIVE_INFINITY) < heldAt;
}

/**
 * Checks a ticker's price, names and time, and drops figures that are impossible by themselves: only a price refuses a ticker.
 * `now`: milliseconds since the epoch. Throws Implausible.
 */
export function plausibleRow(
  ticker: Ticker,
  { held, isActive, labels }: Expected<Ticker>,
  now = Date.now(),
): Ticker {
  const { symbol, first_data_at, last_updated, quotes } = ticker;
  checkTexts(ticker);
  const isFuture = (time: string | null) => time !== null && Date.parse(time) > now + MAX_CLOCK_LEAD_MS;
  if (isFuture(last_updated)) throw new Implausible('Time', `a time in the future: ${last_updated}`);
  const price = quotes.USD.price || null; // a price of 0 counts as none
  if (price === null) {
    // Only a coin that is no longer traded has none.
    if (isActive !== false || held?.data.quotes.USD.price) throw new Implausible('Price', 'no price');
  } else if (!isPrice(price)) throw new Implausible('Price', `a price of ${price}`);
  const possible = withoutImpossible(ticker, price);
  const { USD } = possible.quotes;
  return {
    ...possible,
    ...knownLabels(labels, symbol),
    first_data_at: isFuture(first_data_at) ? null : first_data_at,
    quotes: { USD: isFuture(USD.ath_date) ? { ...USD, ath_date: null } : USD },
  };
}

function checkTexts({ id, name, symbol }: Ticker): void {
  for (const text of [id, name, symbol]) {
    if (text.length > MAX_TEXT_LENGTH) throw new Implausible('Text', `a text of ${text.length} characters`);
    if (text.trim() === '') throw new Implausible('Text', 'no name or no symbol');
  }
}

/** Whether a symbol is another one than the registry's. */
export function isRelabelled({ symbol }: Ticker, labels: Labels | undefined): boolean {
  return (
    Boolean(labels?.symbol.trim() && labels.name.trim()) &&
    symbolKey(labels?.symbol ?? '') !== symbolKey(symbol)
  );
}

/** Names are written in many ways; the symbol shows which coin the figures belong to. */
function knownLabels(labels: Labels | undefined, symbol: string): Labels | undefined {
  if (!labels?.symbol.trim() || !labels.name.trim()) return undefined;
  if (symbolKey(labels.symbol) === symbolKey(symbol)) return { name: labels.name, symbol: labels.symbol };
  throw new OtherSymbol(symbol, labels.symbol);
}

/** Drops impossible figures, because the price beside them may be right. */
function withoutImpossible(ticker: Ticker, price: number | null): Ticker {
  const { USD } = ticker.quotes;
  return {
    ...ticker,
    ...impossible(ticker, SUPPLIES, (value) => value >= 0),
    ...impossible(ticker, ['rank'], (value) => Number.isInteger(value) && value >= 0),
    ...impossible(ticker, ['beta_value'], (value) => Math.abs(value) <= MAX_BETA),
    quotes: {
      USD: {
        ...USD,
        ...impossible(USD, AMOUNTS_IN_USD, (value, name) => value >= 0 && value <= MOST[name]),
        ...impossible(USD, CHANGES, isChange),
        price,
        figures_at: null,
      },
    },
  };
}

/** Null for each figure that is impossible. */
function impossible<T extends object, const Name extends keyof T>(
  source: T,
  names: readonly Name[],
  isPossible: (value: number, name: Name) => boolean,
): Partial<Record<Name, null>> {
  const bad = names.filter((name) => {
    const value = source[name];
    return typeof value === 'number' && !isPossible(value, name);
  });
  if (bad.length > 0) count('ImplausibleFigure', bad.length);
  return Object.fromEntries(bad.map((name) => [name, null])) as Partial<Record<Name, null>>; // these names
}

/**
 * A ticker without a past to compare it with, without a volume that is too large to be believed unseen. Throws Implausible if its
 * price and its market cap contradict each other, because nothing shows which is wrong.
 */
export function withoutContradiction(ticker: Ticker): Ticker {
  const { circulating_supply: circulating, total_supply, max_supply, quotes } = ticker;
  const { market_cap: cap, volume_24h: volume } = quotes.USD;
  const supply = supplyIn(ticker);
  const most = Math.max(total_supply ?? 0, max_supply ?? 0) * FACTORS.another;
  if (cap && supply) {
    if (circulating && isFar(circulating, supply))
      refuseCap(cap, `which is not that of ${circulating} coins`);
    if (most && supply > most) refuseCap(cap, 'which is more than that of all coins');
    if (!circulating && !most && cap > AMOUNTS.maxUnknown) refuseCap(cap);
  }
  const mostTraded = Math.max(cap ? cap * AMOUNTS.maxTurnover : AMOUNTS.maxUnknown, LARGE_VOLUME);
  if (!volume || volume <= mostTraded) return ticker;
  count('ImplausibleFigure');
  return { ...ticker, quotes: { USD: { ...quotes.USD, volume_24h: null } } };
}

function refuseCap(cap: number, why?: string): never {
  throw new Implausible('Figure', `a market cap of ${cap}${why ? `, ${why}` : ''}`);
}
