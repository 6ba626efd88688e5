import type { Tone } from '../../commands/format/text.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import type { Scale } from './scale.ts';

/** One cell of a drawing. */
export interface Cell {
  readonly character: string;
  readonly tone: Tone | undefined;
}

type Half = 'empty' | 'wick' | 'body';
type Glyphs = Readonly<Record<Half, Readonly<Record<Half, string>>>>;

/** By what the upper half of a cell holds, then the lower: box drawing has all nine, wicks thin and bodies thick. */
const thick: Glyphs = {
  empty: { empty: ' ', wick: '╷', body: '╻' },
  wick: { empty: '╵', wick: '│', body: '╽' },
  body: { empty: '╹', wick: '╿', body: '┃' },
};

/** Bodies as blocks, to tell falling candles without colour; half a wick beside half a block does not exist. */
const block: Glyphs = {
  empty: { empty: ' ', wick: '╷', body: '▄' },
  wick: { empty: '╵', wick: '│', body: '▄' },
  body: { empty: '▀', wick: '▀', body: '█' },
};

/** What rising and falling candles look like where there is no colour. */
export const colourlessLegend = `${thick.body.body} up  ${block.body.body} down`;

/** One candle as a column of cells from top to bottom, to half a cell exactly. */
export function candleColumn(
  { open, high, low, close }: SeriesCandle,
  { scale, rows, hasColour }: { readonly scale: Scale; readonly rows: number; readonly hasColour: boolean },
): Cell[] {
  const isUp = close >= open;
  const glyphs = isUp || hasColour ? thick : block;
  const halfOf = (price: number) => Math.min(rows * 2 - 1, Math.floor(scale.depth(price) * rows * 2));
  const wick = [halfOf(high), halfOf(low)] as const;
  const body = [halfOf(Math.max(open, close)), halfOf(Math.min(open, close))] as const;
  const kindOf = (half: number): Half => {
    if (half >= body[0] && half <= body[1]) return 'body';
    return half >= wick[0] && half <= wick[1] ? 'wick' : 'empty';
  };
  return Array.from({ length: rows }, (_, row) => ({
    character: glyphs[kindOf(row * 2)][kindOf(row * 2 + 1)],
    tone: isUp ? 'up' : 'down',
  }));
}

/** At most `columns` candles: neighbours become one, of as many each as needed. */
export function merged(series: readonly SeriesCandle[], columns: number): SeriesCandle[] {
  const size = Math.ceil(series.length / columns);
  if (size <= 1) return [...series];
  const groups: SeriesCandle[] = [];
  for (let start = 0; start < series.length; start += size) {
    const group = series.slice(start, start + size);
    const [first] = group;
    const last = group.at(-1);
    if (!first || !last) break;
    groups.push({
      ...first,
      high: Math.max(...group.map(({ high }) => high)),
      low: Math.min(...group.map(({ low }) => low)),
      close: last.close,
    });
  }
  return groups;
}
