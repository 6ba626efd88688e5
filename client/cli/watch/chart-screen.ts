import { chartHeading, chartSource } from '../../commands/format/chart.ts';
import { type Line, span } from '../../commands/format/text.ts';
import { rangeNames } from '../../commands/parse/table.ts';
import { shownChart } from '../../commands/shown-chart.ts';
import { drawChart } from '../chart/chart.ts';
import { wordBroken } from './fit.ts';
import type { ChartMode, ScreenSize } from './mode.ts';

const MIN_ROWS = 6;

/** The chart of a coin in the window, with the times that it can be of. */
export function chartScreen(
  { result, range }: ChartMode,
  { columns, rows, hasColour }: ScreenSize,
  now: number,
): Line[] {
  const foot: Line[] = [
    [
      ...rangeNames.map((name) =>
        name === range ? span(`[${name}]`, 'strong') : span(` ${name} `, 'muted'),
      ),
      span('  ← → Esc', 'muted'),
    ],
  ];
  if (!result) return [[span('Asking for the chart …', 'muted')], [], ...foot];
  if (result.kind === 'failure')
    return [...result.lines.flatMap((line) => wordBroken(line, columns)), [], ...foot];
  const shown = shownChart(result);
  const head = chartHeading(result, shown).flatMap((line) => wordBroken(line, columns));
  const source = wordBroken(chartSource(result, shown, now), columns);
  const room = rows - head.length - foot.length - source.length;
  const drawing = drawChart(result, {
    width: columns,
    rows: Math.max(MIN_ROWS, room),
    hasColour,
  });
  return [
    ...head,
    ...drawing,
    ...source.slice(0, Math.max(0, rows - head.length - foot.length - drawing.length)),
    ...foot,
  ];
}
