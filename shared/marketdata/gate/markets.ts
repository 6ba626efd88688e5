import { count } from '../../platform/metrics.ts';
import type { Market, MarketQuote } from '../sources/market.ts';
import { isChange, isPrice, MAX_CLOCK_LEAD_MS } from './bounds.ts';
import { Implausible, type Reason } from './implausible.ts';

/** As long as any name of a market or an asset may be; the longest have some twenty characters. */
const MAX_NAME_LENGTH = 64;
const TOLERATED_SHARE = 0.1;
/** A price that is older by the exchange's own word is none of now. */
const MAX_AGE_MS = 30 * 60_000;

/** An exchange's markets, each once. Throws Implausible if a tenth are impossible, or none is open. */
export function plausibleMarkets(markets: readonly Market[]): Market[] {
  const plausible = possible(
    markets,
    ({ id }) => id,
    ({ id, base, quote }) => ([id, base, quote].every(isName) ? undefined : ['Text', 'a name that is none']),
  );
  if (!plausible.some(({ isOpen }) => isOpen)) throw new Implausible('Empty', 'no open market');
  return plausible;
}

/**
 * What was asked for of an exchange's last prices, each market once, without old ones. Throws Implausible if a tenth are
 * impossible, or if several markets have no price at all. A change that is impossible is none.
 */
export function plausibleQuotes(quotes: readonly MarketQuote[], asked: readonly string[]): MarketQuote[] {
  const known = new Set(asked);
  const now = Date.now();
  const recent = quotes.filter(
    ({ market, at }) => known.has(market) && !(at !== null && at < now - MAX_AGE_MS),
  );
  if (recent.length === 0 && asked.length > 1) {
    throw new Implausible('Empty', `no price of now of ${asked.length} markets`);
  }
  return possible(
    recent,
    ({ market }) => market,
    ({ price, volume, at }) => {
      if (at !== null && !(at <= now + MAX_CLOCK_LEAD_MS)) return ['Time', `a price of ${at} ms`];
      if (!isPrice(price)) return ['Price', `a price of ${price}`];
      return volume >= 0 && Number.isFinite(volume) ? undefined : ['Price', `a volume of ${volume}`];
    },
  ).map((quote) => (quote.change === null || isChange(quote.change) ? quote : { ...quote, change: null }));
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && text.isWellFormed() && /^[^\s\p{Cc}\p{Cf}]+$/u.test(text);
}

/**
 * The rows that are possible by themselves and the only ones of their market. Two that say the same are one; of two
 * that do not nobody can tell which is true.
 */
function possible<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  problemOf: (row: Row) => readonly [Reason, string] | undefined,
): Row[] {
  const found = new Map<string, Row | undefined>();
  let problem: readonly [Reason, string] | undefined;
  for (const row of rows) {
    const name = nameOf(row);
    const isTwin = found.has(name) && JSON.stringify(found.get(name)) !== JSON.stringify(row);
    const wrong = problemOf(row) ?? (isTwin ? (['Identity', 'two rows for one market'] as const) : undefined);
    if (wrong) problem = [wrong[0], `${wrong[1]} (${JSON.stringify(name.slice(0, 40))})`];
    found.set(name, wrong ? undefined : row);
  }
  const kept = [...found.values()].filter((row) => row !== undefined);
  const bad = found.size - kept.length;
  if (problem && bad >= found.size * TOLERATED_SHARE) throw new Implausible(...problem);
  if (problem) count(`Implausible${problem[0]}`, bad);
  return kept;
}
