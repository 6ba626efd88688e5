import { convertedSeries } from '../currency/conversion.ts';
import { helpLines } from '../help.ts';
import type { Result } from '../result.ts';
import { type SeriesCandle, toSeries } from '../series.ts';
import { chartFooting, chartHeading } from './chart.ts';
import { priceLines } from './price.ts';
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
      return priceLines(result, now);
    case 'search':
      return searchLines(result, width);
    case 'chart': {
      const series = convertedSeries(toSeries(result.data.data), result.conversion);
      return [...chartHeading(result, series), ...draw(series), ...chartFooting(result, now)];
    }
    case 'help':
      return helpLines(result.topic, width);
    case 'failure':
      return result.lines;
  }
}
