import { converted } from '../../commands/currency.ts';
import { clean } from '../../commands/format/text.ts';
import type { Provenance } from '../../commands/provenance.ts';
import type { Worth } from '../holdings.ts';
import { idOf, type Loaded } from './load.ts';
import type { Week } from './sparklines.ts';

/** A watched coin, in the currency that is shown. Null: not known. */
export interface WatchRow {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
  readonly rank: number | null;
  readonly price: number | null;
  /** In percent, of the price in US dollars. */
  readonly change1h: number | null;
  readonly change24h: number | null;
  readonly change7d: number | null;
  readonly week: Week;
  /** Undefined if the coin is not held. */
  readonly worth: Worth | undefined;
  readonly marks: readonly Mark[];
}

/** What is doubtful in a row, as a letter that the words below the table explain. */
export type Mark = keyof typeof marks;

export const marks = {
  S: 'simulated data, not a real price',
  O: 'out of date: the provider is unreachable, or the service gave no newer answer',
  D: 'disputed: exchanges differ by more than 10 %',
  '?': 'no price is known',
} as const;

export const markNames: readonly Mark[] = ['S', 'O', 'D', '?'];

export function rowsOf({ coins, worths, weeks, conversion }: Loaded): WatchRow[] {
  return coins.map((coin): WatchRow => {
    const id = idOf(coin);
    const week = weeks?.byId.get(id) ?? [];
    const usd = 'error' in coin ? undefined : coin.data.quotes.USD;
    const price = usd?.price ?? null;
    return {
      id,
      symbol: 'error' in coin ? clean(id) : clean(coin.data.symbol),
      name: 'error' in coin ? '' : clean(coin.data.name),
      rank: 'error' in coin ? null : coin.data.rank,
      price: converted(price, conversion),
      change1h: usd?.percent_change_1h ?? null,
      change24h: usd?.percent_change_24h ?? null,
      change7d: usd?.percent_change_7d ?? null,
      week,
      worth: worths.get(id),
      marks: 'error' in coin ? ['?'] : marksOf(coin.provenance),
    };
  });
}

function marksOf({ isSimulated, quality, outdatedMs }: Provenance): Mark[] {
  return [
    ...(isSimulated ? (['S'] as const) : []),
    ...(quality === 'stale' || outdatedMs !== undefined ? (['O'] as const) : []),
    ...(quality === 'disputed' ? (['D'] as const) : []),
  ];
}
