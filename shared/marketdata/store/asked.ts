import type { Asked, Series } from './series-file.ts';

/**
 * The time in which nothing more can be learnt of providers, after they were asked for a further part of it. Two parts
 * with a gap between them are one if candles fill that; else the later one counts, because what is missing is asked for
 * from the gap on.
 */
export function askedTogether(
  before: Asked | undefined,
  more: Asked | undefined,
  { candles, stepMs }: Pick<Series, 'candles' | 'stepMs'>,
): Asked | undefined {
  if (!before || !more) return before ?? more;
  const [first, second] = before.from <= more.from ? [before, more] : [more, before];
  if (second.from > first.to && !isFilled(first.to, second.from, candles, stepMs)) return second;
  return { from: first.from, to: Math.max(first.to, second.to) };
}

function isFilled(from: number, to: number, candles: Series['candles'], stepMs: number): boolean {
  const within = candles.filter(({ opensAt }) => opensAt >= from && opensAt < to).length;
  return within * stepMs >= to - from;
}
