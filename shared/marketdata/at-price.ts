/** A ticker at another price than its provider's, made by markets. */
import { isoSeconds } from '../platform/time.ts';
import { changeMinutes } from './price-changes.ts';
import type { Ticker } from './ticker.ts';

type Change = keyof typeof changeMinutes;
/** Known changes in percent that replace those of the provider; null: not known. */
export type KnownChanges = Readonly<Partial<Record<Change, number | null>>>;

const changes = Object.keys(changeMinutes) as Change[]; // its own keys

/** Percent from one value to another, in hundredths. Null without both, or for a change that does not happen. */
export function percentFrom(before: number | null, now: number | null): number | null {
  if (!before || !now) return null;
  const percent = Math.round((now / before - 1) * 10_000) / 100;
  return Number.isFinite(percent) ? percent : null;
}

/**
 * A ticker at a price that was made at `madeAt` (ms since the epoch). Its market cap follows the price, with the same supply, and so
 * do changes of an hour and more, from the same earlier prices; shorter ones are those in `known`, or null. A peak below the price
 * is none. The volume stays, with its time in `figures_at`.
 */
export function atPrice(ticker: Ticker, price: number, madeAt: number, known: KnownChanges = {}): Ticker {
  const before = ticker.quotes.USD;
  const part = before.price ? price / before.price : Number.NaN;
  const moved = changes.map((name): [Change, number | null] => {
    const percent = before[name];
    if (known[name] !== undefined) return [name, known[name]];
    const isShort = changeMinutes[name] < changeMinutes.percent_change_1h;
    // Nothing is left of a price that fell by 100 %.
    if (isShort || percent === null || percent <= -100) return [name, null];
    return [name, percentFrom(1 / (1 + percent / 100), part)];
  });
  const isHighest = before.ath_price !== null && price > before.ath_price;
  const usd = {
    ...before,
    ...(Object.fromEntries(moved) as Record<Change, number | null>),
    price,
    market_cap: before.market_cap === null || Number.isNaN(part) ? null : before.market_cap * part,
    market_cap_change_24h: null,
    volume_24h_change_24h: null,
    ...(isHighest
      ? { ath_price: null, ath_date: null, percent_from_price_ath: null }
      : { percent_from_price_ath: percentFrom(before.ath_price, price) }),
    figures_at: before.figures_at ?? ticker.last_updated,
  };
  return { ...ticker, last_updated: isoSeconds(madeAt), quotes: { USD: usd } };
}
