import type { MarketdataSearchData } from '../../sdk/index.ts';
import { isTraded } from '../coins.ts';
import { helpLines } from '../help.ts';
import { quoted } from '../parse/words.ts';
import type { Result, SearchResult } from '../result.ts';
import type { SeriesCandle } from '../series.ts';
import { chartSource, shownChart } from '../shown-chart.ts';
import { chartHeading, comparedFooting, comparedHeading } from './chart.ts';
import { priceLines, pricesLines } from './price.ts';
import { type Column, leastWidth, tableLines } from './table.ts';
import { clean, commandSpan, type Line, span } from './text.ts';

interface LineOptions {
  /** The width of a line in cells. */
  readonly width: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Draws the candles below a chart's heading; a front end that shows charts elsewhere draws nothing. */
  readonly draw?: (series: readonly SeriesCandle[]) => readonly Line[];
}

/** The lines of a result. */
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
      return [...chartHeading(result, shown), ...draw(shown.series), chartSource(result, shown, now)];
    }
    case 'help':
      return helpLines(result.topic, width);
    case 'failure':
      return result.lines;
  }
}

type Match = MarketdataSearchData['results'][number];

const kindOf = ({ type, is_active }: Match) => (is_active ? type : `${type}, inactive`);

/**
 * A numbered list of symbol, name, rank, kind and id; then the next step. Names are shortened to fit `width` cells; if
 * that is not enough, each id has its own line. Otherwise the id comes last, so that `awk '{print $NF}'` finds it.
 */
function searchLines({ data, provenance }: SearchResult, width: number): Line[] {
  const { query, results } = data;
  if (results.length === 0)
    return [[span(`No coin matches "${clean(query)}".`)], [span('Try fewer or other words.', 'muted')]];

  const numberWidth = String(results.length).length + 1;
  const numbers = new Map(results.map((match, index) => [match, `${index + 1}.`.padStart(numberWidth)]));
  const name = { cell: (match: Match) => [span(clean(match.name))] };
  const before: readonly Column<Match>[] = [
    // The symbol links to the price of exactly this coin.
    {
      cell: (match) => [
        span(`${numbers.get(match)} `, 'muted'),
        { text: clean(match.symbol), tone: 'strong', command: `cprice ${quoted(match.id)}` },
      ],
      to: numberWidth + 1 + 12,
    },
    { ...name, from: 12 },
    { cell: ({ rank }) => [span(rank > 0 ? `#${rank}` : 'Unranked')] },
  ];
  const columns: readonly Column<Match>[] = [
    ...before,
    { cell: (match) => [span(kindOf(match), 'muted')] },
    { cell: ({ id }) => [span(clean(id), 'muted')] },
  ];
  const narrow = before.map((column) => (column.from ? { ...column, from: 1 } : column));
  const isStacked = leastWidth(columns, results) > width;
  const lines = tableLines(isStacked ? narrow : columns, results, width);
  const example = Math.max(0, results.findIndex(isTraded));
  return [
    [span(`Coins like "${clean(query)}"`, 'strong')],
    ...(provenance.isSimulated
      ? [[span('Simulated list: most of these coins do not exist.', 'muted')] as const]
      : []),
    ...results.flatMap((match, index): Line[] => {
      const line = lines[index] ?? [];
      if (!isStacked) return [line];
      const indent = span(' '.repeat(numberWidth + 1));
      return [line, [indent, span(`${clean(match.id)}  ${kindOf(match)}`, 'muted')]];
    }),
    [
      span('For a price: cprice <symbol>, such as '),
      commandSpan(`cprice ${quoted(clean(results[example]?.symbol ?? ''))}`),
      span(', or by its number: '),
      commandSpan(`cprice ${example + 1}`),
    ],
  ];
}
