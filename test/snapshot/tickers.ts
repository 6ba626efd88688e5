import fc from 'fast-check';
import { encodeSnapshot, type SnapshotContent } from '../../shared/marketdata/store/snapshot-writer.ts';
import { readTicker, type Ticker } from '../../shared/marketdata/ticker.ts';
import { cleanText } from '../../shared/platform/clean-text.ts';

export const NOW = Date.UTC(2026, 8, 18, 4, 10);

/** A ticker as the provider sends one, with little in it, made at that time. */
export function tickerOf(id: string, price = 1, madeAt = NOW - 60_000): Ticker {
  const last_updated = new Date(madeAt).toISOString();
  return readTicker({ id, name: id, symbol: 'X', last_updated, quotes: { USD: { price } } });
}

/** The bytes of a snapshot with these coins. */
export function snapshotOf(ids: readonly string[], content: Partial<SnapshotContent> = {}): Uint8Array {
  const tickers = ids.map((id) => tickerOf(id));
  return encodeSnapshot({ tickers, takenAt: NOW, intervalSeconds: 600, source: 'simulated', ...content });
}

const id = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[a-c]{1,4}$/),
  fc.constantFrom('xch-chia-', '-doggotothemoon', '战旗-战旗', 'toto-totoro-inu-?', '\ud800', '"', '\\', ''),
);
const number = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0));

/** Any tickers, each id once. */
export const anyTickers = fc.uniqueArray(id, { maxLength: 40 }).chain((ids) =>
  fc.tuple(
    ...ids.map((own) =>
      fc
        .record({ name: fc.string({ unit: 'binary' }).map(cleanText), price: number, rank: number })
        .map((given) => ({
          ...tickerOf(own),
          name: given.name,
          rank: given.rank,
          quotes: { USD: { ...tickerOf(own).quotes.USD, price: given.price } },
        })),
    ),
  ),
);
