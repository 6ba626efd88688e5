import type { MarketdataSearchData } from '../../sdk/index.ts';
import { helpLines } from '../help.ts';
import { quoted } from '../parse/words.ts';
import type { Result, SearchResult } from '../result.ts';
import type { SeriesCandle } from '../series.ts';
import { shownChart } from '../shown-chart.ts';
import { chartFooting, chartHeading, comparedFooting, comparedHeading } from './chart.ts';
import { priceLines, pricesLines } from './price.ts';
import { clean, commandSpan, displayWidth, fitted, type Line, type Span, span } from './text.ts';

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

type SearchEntry = MarketdataSearchData['results'][number];

/** The least width of a name beside the other columns. */
const MIN_NAME = 12;
const GAP = '  ';
const simulatedNote: Line = [span('Simulated list: most of these coins do not exist.', 'muted')];

/**
 * A numbered list of symbol, name, rank, kind and id; then the next step. To fit `width` cells names are shortened, and
 * where that is not enough each id stands in a line of its own. In a line the id comes last, so that `awk '{print $NF}'`
 * finds it.
 */
export function searchLines({ data, provenance }: SearchResult, width: number): Line[] {
  const { query, results } = data;
  if (results.length === 0) {
    return [[span(`No coin matches "${clean(query)}".`)], [span('Try fewer or other words.', 'muted')]];
  }
  const rows = results.map(rowOf);
  const widths = {
    number: String(rows.length).length + 1,
    symbol: Math.min(12, widest(rows, 'symbol')),
    rank: widest(rows, 'rank'),
  };
  const [name, kind, id] = [widest(rows, 'name'), widest(rows, 'kind'), widest(rows, 'id')];
  const used = widths.number + 1 + widths.symbol + widths.rank + 2 * GAP.length;
  const inLine = width - used - kind - id - 2 * GAP.length;
  const isStacked = inLine < Math.min(name, MIN_NAME);
  const nameWidth = Math.max(1, Math.min(name, isStacked ? width - used : inLine));

  const index = Math.max(
    0,
    results.findIndex(({ is_active, rank }) => is_active && rank > 0),
  );
  return [
    [span(`Coins like "${clean(query)}"`, 'strong')],
    ...(provenance.isSimulated ? [simulatedNote] : []),
    ...rows.flatMap((row, index): Line[] => {
      const first = beginning(row, index, { ...widths, name: nameWidth });
      if (!isStacked) return [[...first, span(`${GAP}${row.kind.padEnd(kind)}${GAP}${row.id}`, 'muted')]];
      return [first, [span(' '.repeat(widths.number + 1)), span(`${row.id}${GAP}${row.kind}`, 'muted')]];
    }),
    [
      span('For a price: cprice <symbol>, such as '),
      commandSpan(`cprice ${quoted(clean(results[index]?.symbol ?? ''))}`),
      span(', or by its number: '),
      commandSpan(`cprice ${index + 1}`),
    ],
  ];
}

type Row = ReturnType<typeof rowOf>;

/** Number, symbol, name and rank; the symbol stands for the price of just this coin. */
function beginning(
  { symbol, name, rank, id }: Row,
  index: number,
  widths: Readonly<Record<'number' | 'symbol' | 'name' | 'rank', number>>,
): Span[] {
  const padded = fitted(symbol, widths.symbol);
  const shown = padded.trimEnd();
  return [
    span(`${`${index + 1}.`.padStart(widths.number)} `, 'muted'),
    { text: shown, tone: 'strong', command: `cprice ${quoted(id)}` },
    span(`${padded.slice(shown.length)}${GAP}${fitted(name, widths.name)}${GAP}${rank.padEnd(widths.rank)}`),
  ];
}

function rowOf({ symbol, name, rank, type, is_active, id }: SearchEntry) {
  return {
    symbol: clean(symbol),
    name: clean(name),
    rank: rank > 0 ? `#${rank}` : 'Unranked',
    kind: is_active ? type : `${type}, inactive`,
    id: clean(id),
  };
}

function widest(rows: readonly Row[], column: keyof Row): number {
  return Math.max(...rows.map((row) => displayWidth(row[column])));
}
