import { type Api, provenanceOf } from '../../commands/provenance.ts';
import { brailleCells } from '../chart/cells.ts';

/** Prices of seven days in US dollars, oldest first; null: not known. */
export type Week = readonly (number | null)[];

export interface Weeks {
  /** All that they were asked for, with those that were too many. */
  readonly ids: readonly string[];
  readonly byId: ReadonlyMap<string, Week>;
  /** Until when they may be used: milliseconds since the epoch. */
  readonly freshUntil: number;
}

/** The weeks of the first coins, at most `most`; undefined if the service does not tell them. Never rejects: they are an ornament. */
export async function weeksOf(
  api: Api,
  ids: readonly string[],
  most: number,
  now: () => number,
): Promise<Weeks | undefined> {
  if (ids.length === 0) return undefined;
  try {
    const answer = await api.sparklines({ ids: ids.slice(0, most) });
    const byId = answer.data.coins.flatMap((coin) =>
      'error' in coin ? [] : [[coin.id, coin.prices] as const],
    );
    return { ids, byId: new Map(byId), freshUntil: provenanceOf(answer, now()).freshUntil };
  } catch {
    return undefined;
  }
}

/** A line of prices in one row of `width` cells, from their lowest to their highest; spaces without two of them. */
export function sparkline(week: Week, width: number): string {
  const known = week.flatMap((price, index) => (price === null ? [] : [{ price, index }]));
  if (known.length < 2) return ' '.repeat(width);
  const prices = known.map(({ price }) => price);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const points = known.map(({ price, index }) => ({
    x: index / (week.length - 1),
    y: high === low ? 0.5 : (high - price) / (high - low),
  }));
  return (brailleCells([{ points }], width, 1)[0] ?? []).map(({ character }) => character).join('');
}
