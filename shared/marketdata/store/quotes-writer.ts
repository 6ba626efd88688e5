/** Writes the prices of markets, as `quotes.ts` reads them. */
import { type Quote, type QuoteRow, type QuotesJson, VERSION } from './quotes.ts';

export interface QuotesContent {
  /** When the run began, in milliseconds since the epoch. */
  readonly takenAt: number;
  readonly intervalSeconds: number;
  /** The names of exchanges in `x-data-source`, if they differ. */
  readonly sources?: Readonly<Record<string, string>> | undefined;
  /** By coin id; undefined for a coin whose markets say nothing that counts now. */
  readonly coins: ReadonlyMap<string, Quote | undefined>;
}

export function quotesJson({ coins, sources = {}, ...about }: QuotesContent): string {
  const all = [...coins.values()].filter((quote) => quote !== undefined);
  const exchanges = [...new Set(all.flatMap(({ prices }) => prices.map(({ exchange }) => exchange)))];
  const rowOf = ({ madeAt, isDisputed, change15m, change30m, prices }: Quote): QuoteRow => [
    Math.round((about.takenAt - madeAt) / 1000),
    isDisputed ? 1 : 0,
    change15m,
    change30m,
    ...exchanges.map((name) => {
      const own = prices.find(({ exchange }) => exchange === name);
      return own ? short(own.price) : null;
    }),
  ];
  const rows = Array.from(coins, ([id, quote]) => [id, quote ? rowOf(quote) : null] as const);
  const json: QuotesJson = {
    ...{ version: VERSION, ...about, exchanges },
    sources: exchanges.map((name) => sources[name] ?? name),
    coins: Object.fromEntries(rows),
  };
  return JSON.stringify(json);
}

/** Conversion leaves digits that no market has. */
function short(price: number): number {
  return Number(price.toPrecision(10));
}
