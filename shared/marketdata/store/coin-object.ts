/** The two objects of a coin: the candles that were fetched for it, and its ticker and refusals. */
import { bytesInMemory } from '../../platform/caches.ts';
import { jsonIn } from '../../platform/stored-object.ts';
import { type FileFormat, StoreError, signatureOf } from '../binary-file.ts';
import type { Ticker } from '../ticker.ts';
import type { BaseInterval } from '../window.ts';
import { type CoveredSeries, readSeries } from './candle-rows.ts';
import { OPEN_HELD_MS } from './held-until.ts';
import { objectNames, steps, versions } from './names.ts';
import { openRows } from './rows.ts';

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
  /** 404: unknown coin; 402: outside the plan; 502: a ticker under an unknown symbol. */
  readonly status: 404 | 402 | 502;
  readonly message: string;
  readonly at: number;
  /** The time before which it is not fetched again. */
  readonly until: number;
  /** When the plan's data begins, if the provider said so. */
  readonly since?: number;
}

/** What was fetched for a caller besides candles. */
export interface CoinFetched {
  readonly ticker?: StoredTicker | undefined;
  /** The refusals by kind of data: `ticker`, `24h`, `1h`. */
  readonly refusals: Readonly<Record<string, Refusal>>;
}

/** The candles that were fetched for a coin, for a caller or by the job of the past. Nothing moves them elsewhere. */
export type CoinCandles = Readonly<Partial<Record<BaseInterval, CoveredSeries>>>;

/** A coin's candles as they are stored: two thousand rows, of which a chart reads some dozen. */
export interface StoredCoin {
  /** The candles that open between two times, all by default, with the whole coverage; undefined without any of this length. */
  series(base: BaseInterval, from?: number, to?: number): CoveredSeries | undefined;
  readonly bytes: number;
}

/** A kind of objects, one for each coin. */
export interface CoinKind<T> {
  name(id: string): string;
  /** The content of a coin without such an object. */
  readonly nothing: T;
  /** Whether its content soon expires: then an object that cannot be opened is replaced. */
  readonly isBrief?: boolean;
  /** How long a container holds it before it looks for a newer one, in milliseconds. */
  readonly heldMs: number;
  /** Its size in memory. */
  bytesOf(content: T): number;
  /** Throws an Error if it is no such object, or belongs to another coin. */
  open(bytes: Uint8Array, id: string): T;
}

/** Small, because a request writes it. */
export const coinFetched: CoinKind<CoinFetched> = {
  name: objectNames.fetched,
  nothing: { refusals: {} },
  isBrief: true,
  // Other functions soon see a price that one of them has fetched.
  heldMs: 10_000,
  bytesOf: bytesInMemory,
  open(bytes, id) {
    const { id: own, ...content } = jsonIn(bytes) as { readonly id: string } & CoinFetched; // as `coin-changes.ts` writes it
    if (own !== id) throw new StoreError(`Fetched: ${own} in place of ${id}`);
    return content;
  },
};

/**
 * A file of rows (`rows.ts`) with an empty header; its text is JSON with the coin's id and the list of the
 * candles' sources. Its rows are the series `24h` and `1h` (`candle-rows.ts`).
 */
export const coinFormat: FileFormat = {
  signature: signatureOf('COIN'),
  version: versions.coins,
  name: 'Coin',
  error: StoreError,
};
export const bases: readonly BaseInterval[] = ['24h', '1h'];

export interface CoinText {
  readonly id: string;
  readonly sources: readonly string[];
}

export const coinCandles: CoinKind<StoredCoin> = {
  name: objectNames.coin,
  heldMs: OPEN_HELD_MS,
  nothing: { series: () => undefined, bytes: 0 },
  bytesOf: ({ bytes }) => bytes,
  open(bytes, id) {
    const coin = openCoin(bytes);
    if (coin.id !== id) throw new StoreError(`Coin: ${coin.id} in place of ${id}`);
    return coin;
  },
};

/** Opens the candles of any coin. Throws StoreError if it is no such object, or has a damaged row. */
export function openCoin(bytes: Uint8Array): StoredCoin & { readonly id: string } {
  const file = openRows(coinFormat, bytes);
  const { id, sources } = JSON.parse(file.text) as CoinText; // as `coin-changes.ts` writes it
  if (file.damaged.length > 0) throw new StoreError(`Coin: damaged rows ${file.damaged} of ${id}`);
  return {
    id,
    bytes: bytes.byteLength,
    series(base, from, to) {
      const content = file.content(base);
      return content && readSeries(content, steps[base], sources, from, to);
    },
  };
}
