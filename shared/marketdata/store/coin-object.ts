import { type FileFormat, StoreError, signatureOf } from '../binary-file.ts';
import type { Ticker } from '../ticker.ts';
import type { BaseInterval } from '../window.ts';
import { type CoveredSeries, joinSeries, readSeries, SourceList } from './candle-rows.ts';
import { steps, versions } from './names.ts';
import { encodeRows, openRows } from './rows.ts';

/** A ticker that was fetched for a caller. Times in milliseconds since the epoch. */
export interface StoredTicker {
  readonly data: Ticker;
  readonly source: string;
  /** When the provider made it. */
  readonly madeAt: number;
  readonly storedAt: number;
}

/** A provider's refusal. Times in milliseconds since the epoch. */
export interface Refusal {
  /** 404: unknown coin; 402: outside the plan. */
  readonly status: 404 | 402;
  readonly message: string;
  readonly at: number;
  /** The time before which it is not fetched again. */
  readonly until: number;
  /** When the plan's data begins, if the provider said so. */
  readonly since?: number;
}

/**
 * Data fetched for one coin since its candles were merged into the shards, for requests or by the job of the past. The roll-up
 * removes the series once they are in the shards.
 */
export interface CoinObject {
  /** The last ticker fetched for a caller. */
  readonly ticker?: StoredTicker | undefined;
  readonly series: Readonly<Partial<Record<BaseInterval, CoveredSeries>>>;
  /** The refusals by kind of data: `ticker`, `24h`, `1h`. */
  readonly refusals: Readonly<Record<string, Refusal>>;
}

export const noCoinObject: CoinObject = { series: {}, refusals: {} };

/**
 * A file of rows (`rows.ts`) with an empty header; its text is JSON with the coin's id and the list of the
 * candles' sources. Its rows are `ticker` and `refusals` (JSON) and the series `24h` and `1h` (`candle-rows.ts`).
 */
const format: FileFormat = {
  signature: signatureOf('COIN'),
  version: versions.coins,
  name: 'Coin',
  error: StoreError,
};
export const bases: readonly BaseInterval[] = ['24h', '1h'];

interface Text {
  readonly id: string;
  readonly sources: readonly string[];
}

/** The bytes that `openCoin` opens. */
export function encodeCoin(id: string, { ticker, series, refusals }: CoinObject): Buffer {
  const sources = new SourceList();
  const rows: [string, Buffer][] = [];
  for (const base of bases) {
    const own = series[base];
    if (own) rows.push([base, joinSeries(undefined, own, { stepMs: steps[base], sources })]);
  }
  if (ticker) rows.push(['ticker', Buffer.from(JSON.stringify(ticker))]);
  if (Object.keys(refusals).length > 0) rows.push(['refusals', Buffer.from(JSON.stringify(refusals))]);
  const text = JSON.stringify({ id, sources: sources.names } satisfies Text);
  return encodeRows(format, { header: { time: 0, seconds: 0, source: '' }, text, rows });
}

/** Throws StoreError if it is no such object, belongs to another coin, or has a damaged row. */
export function openCoin(bytes: Uint8Array, id: string): CoinObject {
  const coin = coinIn(bytes);
  if (coin.id !== id) throw new StoreError(`Coin: ${coin.id} in place of ${id}`);
  return coin.object;
}

/** Opens the object of any coin. Throws StoreError if it is no such object, or has a damaged row. */
export function coinIn(bytes: Uint8Array): { readonly id: string; readonly object: CoinObject } {
  const file = openRows(format, bytes);
  const { id, sources } = JSON.parse(file.text) as Text; // written above
  if (file.damaged.length > 0) throw new StoreError(`Coin: damaged rows ${file.damaged} of ${id}`);
  const series: Partial<Record<BaseInterval, CoveredSeries>> = {};
  for (const base of bases) {
    const content = file.content(base);
    if (content) series[base] = readSeries(content, steps[base], sources);
  }
  const ticker = file.content('ticker');
  const refusals = file.content('refusals');
  const object: CoinObject = {
    ...(ticker && { ticker: JSON.parse(ticker.toString()) as StoredTicker }), // written above
    series,
    refusals: refusals ? (JSON.parse(refusals.toString()) as CoinObject['refusals']) : {}, // written above
  };
  return { id, object };
}

/** The object with more candles of one series; of two candles for an interval the better one stays. */
export function withSeries(object: CoinObject, base: BaseInterval, more: CoveredSeries): CoinObject {
  const stepMs = steps[base];
  const known = object.series[base];
  if (!known) return { ...object, series: { ...object.series, [base]: more } };
  const sources = new SourceList();
  const both = joinSeries(joinSeries(undefined, known, { stepMs, sources }), more, { stepMs, sources });
  return { ...object, series: { ...object.series, [base]: readSeries(both, stepMs, sources.names) } };
}
