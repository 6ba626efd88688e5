import { helpLines } from '../help.ts';
import type { Result } from '../result.ts';
import type { SeriesCandle } from '../series.ts';
import { shownChart } from '../shown-chart.ts';
import { chartFooting, chartHeading } from './chart.ts';
import { comparedFooting, comparedHeading } from './compare.ts';
import { priceLines } from './price.ts';
import { pricesLines } from './prices.ts';
import { searchLines } from './search.ts';
import type { Line } from './text.ts';

export interface LineOptions {
  /** The width of a line in cells. */
  readonly width: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Draws the candles below a chart's heading; a front end that shows charts elsewhere draws nothing. */
  readonly draw?: (series: readonly SeriesCandle[]) => readonly Line[];
}

/** The lines that a front end prints for a result. */
export function resultLines(result: Result, { width, now, draw = () => [] }: LineOptions): readonly Line[] {
  switch (result.kind) {
    case 'price':
      return result.prices.length + result.missing.length > 1
        ? pricesLines(result, width, now)
        : priceLines(result, now);
    case 'search':
      return searchLines(result, width);
    case 'chart': {
      const shown = shownChart(result);
      if (result.compared.length > 0)
        return [...comparedHeading(result), ...draw(shown.series), ...comparedFooting(result, now)];
      return [...chartHeading(result, shown), ...draw(shown.series), ...chartFooting(result, shown, now)];
    }
    case 'help':
      return helpLines(result.topic, width);
    case 'failure':
      return result.lines;
  }
}
