/** A snapshot with the prices that markets have had since: every reader of the snapshot sees one price of a coin. */
import { MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import { atPrice } from '../at-price.ts';
import type { Kept } from '../provider.ts';
import { agreementAmong } from '../sources/market.ts';
import type { Ticker } from '../ticker.ts';
import type { Quotes } from './quotes.ts';
import type { Snapshot, SnapshotTicker } from './snapshot.ts';

/** A row of the snapshot has a market's price for as long as that counts and no newer one of the provider is there. */
export function quotedSnapshot(snapshot: Snapshot, quotes: Quotes): Snapshot {
  const quoted = new Map<string, SnapshotTicker>();

  function withQuote(row: Kept<Ticker>): SnapshotTicker {
    const { id } = row.data;
    const known = quoted.get(id);
    const quote = known ? undefined : quotes.of(id);
    const own = known ?? (quote && quote.madeAt > row.madeAt ? quotedTicker(row, quote, quotes) : undefined);
    if (own) quoted.set(id, own);
    const now = Date.now();
    // From the future it is of a wrong clock, and its age is unknown.
    const counts = own?.countsUntil && now < own.countsUntil && own.madeAt <= now + MAX_CLOCK_LEAD_MS;
    if (counts) return own;
    // The next run may have a price of its markets: no cache keeps this one beyond it.
    const isAwaited = quotes.has(id) && now < quotes.takenAt + quotes.countMs;
    return isAwaited ? { ...row, freshUntil: Math.min(row.freshUntil, quotes.nextAt) } : row;
  }

  return {
    ...{ takenAt: snapshot.takenAt, intervalMs: snapshot.intervalMs, source: snapshot.source },
    get rows() {
      return snapshot.rows;
    },
    ...{ list: snapshot.list, ids: snapshot.ids, names: snapshot.names, fields: snapshot.fields },
    nextAt: quotes.nextAt,
    ticker(id) {
      const row = snapshot.ticker(id);
      return row && withQuote(row);
    },
    *tickers() {
      for (const row of snapshot.tickers()) yield withQuote(row);
    },
  };
}

function quotedTicker(
  row: Kept<Ticker>,
  quote: NonNullable<ReturnType<Quotes['of']>>,
  { takenAt, nextAt, countMs }: Quotes,
): SnapshotTicker {
  const { price, madeAt, isDisputed, change15m, change30m, prices } = quote;
  const known = { percent_change_15m: change15m, percent_change_30m: change30m };
  const moved = atPrice(row.data, price, madeAt, known);
  const provider = row.data.quotes.USD.price;
  const all = isDisputed && provider ? [...prices, { exchange: row.source, price: provider }] : prices;
  return {
    data: { ...moved, sources: agreementAmong(price, all) },
    source: quote.source,
    ...((isDisputed || row.quality === 'disputed') && { quality: 'disputed' }),
    ...{ madeAt, storedAt: takenAt, freshUntil: nextAt, staleUntil: row.staleUntil },
    countsUntil: madeAt + countMs,
  };
}
