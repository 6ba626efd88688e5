/** The prices that exchanges’ markets have in this minute, as routes read them beside the snapshot. */
import { MINUTE_MS } from '../../platform/time.ts';
import { asBuffer } from '../binary-file.ts';
import { listed } from '../provenance.ts';
import { median } from '../sources/market.ts';

export const VERSION = 1;
export const QUOTES_NAME = `quotes.v${VERSION}`;

/** No price counts for longer after its trade; where runs are rarer, it counts until the next one is a minute late. */
export const QUOTE_COUNTS_MS = 5 * MINUTE_MS;
/** The duration of the job's run after its start, with some reserve: then a newer one is looked for. */
const PUBLISHED_AFTER_MS = 10_000;

/** What the markets of a coin say together. */
export interface Quote {
  /** In USD: the median of the markets that count. */
  readonly price: number;
  /** When the oldest of their trades was made, or confirmed by offers; milliseconds since the epoch. */
  readonly madeAt: number;
  /** Whether the provider's price of the same minute is more than a tenth off. */
  readonly isDisputed: boolean;
  /** In percent since kept runs; null: none is of that time. */
  readonly change15m: number | null;
  readonly change30m: number | null;
  /** The markets that count, in USD. */
  readonly prices: readonly { readonly exchange: string; readonly price: number }[];
}

export interface Quotes {
  /** When the run began, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** When the next ones can be read, in milliseconds since the epoch. */
  readonly nextAt: number;
  /** How long a price counts after its trade. */
  readonly countMs: number;
  /** `source`: who made it, as in `x-data-source`. */
  of(id: string): (Quote & { readonly source: string }) | undefined;
  /** Whether the coin has markets: the next run may have a price. */
  has(id: string): boolean;
}

/** A price for each exchange of the list in front, null where none counts; the coin's own is their median. */
export type QuoteRow = readonly [
  ageSeconds: number,
  isDisputed: 0 | 1,
  change15m: number | null,
  change30m: number | null,
  ...prices: (number | null)[],
];

/** As `quotes-writer.ts` writes it. */
export interface QuotesJson {
  readonly version: number;
  readonly takenAt: number;
  readonly intervalSeconds: number;
  readonly exchanges: readonly string[];
  /** Their names in `x-data-source`. */
  readonly sources: readonly string[];
  /** Null for a coin whose markets say nothing that counts now. */
  readonly coins: Readonly<Record<string, QuoteRow | null>>;
}

/** Throws an Error for the bytes of another version. */
export function openQuotes(bytes: Uint8Array): Quotes {
  const { version, takenAt, intervalSeconds, exchanges, sources, coins } = JSON.parse(
    asBuffer(bytes).toString(),
  ) as QuotesJson;
  if (version !== VERSION) throw new Error(`Version ${version} of quotes`);
  const rows = new Map(Object.entries(coins));
  return {
    takenAt,
    nextAt: takenAt + intervalSeconds * 1000 + PUBLISHED_AFTER_MS,
    countMs: Math.max(QUOTE_COUNTS_MS, intervalSeconds * 1000 + MINUTE_MS),
    has: (id) => rows.has(id),
    of(id) {
      const row = rows.get(id);
      if (!row) return undefined;
      const [ageSeconds, isDisputed, change15m, change30m, ...own] = row;
      const used = exchanges.flatMap((exchange, index) => {
        const price = own[index];
        return typeof price === 'number' ? [{ exchange, price, source: sources[index] }] : [];
      });
      return {
        ...{ change15m, change30m, isDisputed: isDisputed === 1 },
        price: median(used.map(({ price }) => price)),
        prices: used.map(({ exchange, price }) => ({ exchange, price })),
        source: listed(...used.map(({ source }) => source)),
        madeAt: takenAt - ageSeconds * 1000,
      };
    },
  };
}
