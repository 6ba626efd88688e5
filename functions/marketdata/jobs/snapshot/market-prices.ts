/** Prices of markets that replace an unavailable list. */
import { atPrice } from '../../../../shared/marketdata/at-price.ts';
import { listed } from '../../../../shared/marketdata/candles.ts';
import { lifetimes } from '../../../../shared/marketdata/freshness.ts';
import { isFar, PARTS } from '../../../../shared/marketdata/gate/bounds.ts';
import { inUnitSince } from '../../../../shared/marketdata/gate/figures.ts';
import { ownRow } from '../../../../shared/marketdata/gate/tickers.ts';
import {
  agreementAmong,
  agreementOf,
  isWithin,
  median,
} from '../../../../shared/marketdata/sources/market.ts';
import type { CoinQuote, CoinQuotes } from '../../../../shared/marketdata/sources/source-map.ts';
import { QUOTE_COUNTS_MS } from '../../../../shared/marketdata/store/quotes.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { memoriesIn } from '../../../../shared/marketdata/store/snapshot-memory.ts';
import type { OwnRow } from '../../../../shared/marketdata/store/snapshot-writer.ts';
import { noFigures, type Ticker } from '../../../../shared/marketdata/ticker.ts';

/** The rows that replace a list. */
export interface Failover {
  /** The rows with the markets' prices. */
  readonly priced: readonly (OwnRow & { readonly source: string })[];
  /** The other rows of the last snapshot. */
  readonly carried: readonly OwnRow[];
}

/**
 * The provider's last list with the prices of markets, for coins that have any. `published` is that list, or what replaced it
 * the last time. `now`: milliseconds since the epoch.
 */
export function failoverOf(
  { list, published }: { readonly list: Snapshot; readonly published: Snapshot },
  quotes: CoinQuotes,
  now: number,
): Failover {
  const priced: Failover['priced'][number][] = [];
  const carried: OwnRow[] = [];
  const { beliefs, left } = memoriesIn(list);
  for (const [id, { ticker: row, memory }] of beliefs) {
    if (left.has(id)) continue;
    const { data: ticker } = row;
    const last = published.ticker(id);
    // A disputed price is no measure for what markets say.
    const known = memory.dispute ? memory.dispute.price : ticker.quotes.USD.price;
    const before = [last?.quality ? null : last?.data.quotes.USD.price, known].flatMap((one) => one || []);
    const recent = recentOf(quotes, ticker.id, now);
    const usable = usableQuotes(recent, before);
    if (usable.length > 0) {
      const source = listed(...usable.map(({ exchange, source = exchange }) => source));
      const madeAt = Math.min(...usable.map(({ at }) => at ?? quotes.takenAt));
      const areFiguresKept = now < row.madeAt + lifetimes.ticker.staleForMs;
      const base = areFiguresKept ? ticker : withPeakOnly(ticker);
      const replaced = withPrice(base, usable, madeAt);
      const { unitSince } = memory;
      const own = unitSince === undefined ? replaced : inUnitSince(replaced, unitSince);
      priced.push({ ticker: own, takenAt: now, source, memory });
    } else carried.push(...ownRow(last).map((own) => ({ ...own, memory })));
  }
  return { priced, carried };
}

/** What a coin's markets said in the last minutes: older prices count nowhere. */
function recentOf({ coins, takenAt }: CoinQuotes, id: string, now: number): readonly CoinQuote[] {
  return (coins.get(id) ?? []).filter(({ at }) => now < (at ?? takenAt) + QUOTE_COUNTS_MS);
}

/** Quotes whose median plausibly follows one of the known prices. */
function usableQuotes(quotes: readonly CoinQuote[], before: readonly number[]): readonly CoinQuote[] {
  const spread = agreementOf(null, quotes)?.spreadPercent ?? 0;
  // Of three or more, the median lies among quotes that are close to each other, however far the furthest is.
  const contradict = quotes.length === 2 && spread > PARTS.disputed * 100;
  // Nothing else shows that a price without a time is current.
  const isTimeless = quotes.length === 1 && quotes[0]?.at === null;
  const usable = quotes.filter(
    ({ price }) =>
      !(contradict || isTimeless) || before.some((known) => isWithin(PARTS.disputed, price, known)),
  );
  return usable.length > 0 && before.some((known) => !isFar(known, medianPrice(usable))) ? usable : [];
}

function medianPrice(quotes: readonly CoinQuote[]): number {
  return median(quotes.map(({ price }) => price));
}

function withPeakOnly(ticker: Ticker): Ticker {
  const { ath_price, ath_date } = ticker.quotes.USD;
  return { ...ticker, quotes: { USD: { ...noFigures, ath_price, ath_date } } };
}

/** A ticker with the markets' price and 24-hour change; its other figures keep their time. */
function withPrice(ticker: Ticker, quotes: readonly CoinQuote[], madeAt: number): Ticker {
  const price = medianPrice(quotes);
  const changes = quotes.flatMap(({ change }) => change ?? []);
  const change24h = changes.length > 0 ? median(changes) : null;
  // Those of some hours would be from prices of the last list, which may be as old.
  const known = { percent_change_1h: null, percent_change_6h: null, percent_change_12h: null };
  const moved = atPrice(ticker, price, madeAt, {
    ...known,
    ...(change24h !== null && { percent_change_24h: change24h }),
  });
  return { ...moved, sources: agreementAmong(price, quotes) };
}
