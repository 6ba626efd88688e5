import { converted } from '../commands/currency.ts';
import { formatPrice, toneOf } from '../commands/format/numbers.ts';
import { changeSpan, PRICE_LABEL_WIDTH, priceReport, priceRow } from '../commands/format/price.ts';
import { type Line, plainText, type Span, span } from '../commands/format/text.ts';
import { displayWidth, wrapLines } from '../commands/format/width.ts';
import type { Priced, PriceResult } from '../commands/result.ts';
import { agreementText } from '../commands/sources.ts';
import { pointsOf, scaleOf } from './chart/axis.ts';
import { brailleCells, lineOf } from './chart/cells.ts';

const MAX_WIDTH = 68;
/** A narrower window shows the lines without a frame, and the week in one row. */
const MIN_FRAMED = 48;
const WEEK_ROWS = 3;
const MIN_BAR = 8;
const DAY_SECONDS = 86_400;

/** The report of a price: its changes, its week as a line, and its position between the day's low and high. */
export function priceCard(
  priced: Priced,
  result: PriceResult,
  { width, now }: { readonly width: number; readonly now: number },
): Line[] {
  const isFramed = width >= MIN_FRAMED;
  const inner = isFramed ? Math.min(width, MAX_WIDTH) - 4 : width;
  const report = priceReport(priced, result, now);
  const { sources } = priced.data;
  const lines = [
    ...(priced.coin.isActive ? [] : report.notes),
    report.price,
    [...report.change, ...otherChanges(priced)],
    ...weekLines(priced, result, inner - PRICE_LABEL_WIDTH, isFramed ? WEEK_ROWS : 1),
    ...rangeLines(priced, result, inner - PRICE_LABEL_WIDTH),
    report.marketCap,
    report.volume,
    ...(sources ? [priceRow('Agreement', span(agreementText(sources)))] : []),
    report.source,
    ...(priced.coin.isActive ? report.notes : []),
  ];
  if (!isFramed) return [report.heading, ...lines];
  return framed(report.heading, wrapLines(lines, inner), inner);
}

function otherChanges({ data }: Priced): Span[] {
  return (['1h', '7d', '30d'] as const).flatMap((period) => [
    span(`  ${period} `, 'muted'),
    changeSpan(data.quotes.USD[`percent_change_${period}`]),
  ]);
}

function weekLines(
  { data }: Priced,
  { week = [], conversion }: PriceResult,
  width: number,
  rows: number,
): Line[] {
  const [first] = week;
  if (!first || week.length < 2) return [];
  const { price, percent_change_7d: change } = data.quotes.USD;
  const last = converted(price, conversion) ?? week.at(-1)?.close ?? 0;
  const closes = [...week.map(({ close }) => close), last];
  const points = pointsOf(closes, scaleOf(closes));
  const tone = toneOf(conversion ? (last / first.open - 1) * 100 : change);
  return brailleCells([{ points, tone }], width, rows).map((cells, row) => [
    ...(row === 0 ? priceRow('7 days') : [span(' '.repeat(PRICE_LABEL_WIDTH))]),
    ...lineOf(cells),
  ]);
}

/** `$64,100.00 ├───────●──┤ $68,200.00`. */
function rangeLines({ data }: Priced, { week = [], conversion }: PriceResult, width: number): Line[] {
  const price = converted(data.quotes.USD.price, conversion);
  const end = week.at(-1)?.time;
  if (end === undefined || price === null) return [];
  const day = week.filter(({ time }) => time > end - DAY_SECONDS);
  const low = Math.min(price, ...day.map((candle) => candle.low));
  const high = Math.max(price, ...day.map((candle) => candle.high));
  const [from, to] = [low, high].map((each) => formatPrice(each, conversion?.currency));
  const room = Math.min(32, width - displayWidth(`${from}${to}`) - 4);
  if (room < MIN_BAR) return [priceRow('24h range', span(`${from} to ${to}`))];
  const at = high > low ? Math.round(((price - low) / (high - low)) * (room - 1)) : Math.floor(room / 2);
  return [
    priceRow(
      '24h range',
      span(`${from} `),
      span(`├${'─'.repeat(at)}`, 'muted'),
      span('●', 'strong'),
      span(`${'─'.repeat(room - 1 - at)}┤`, 'muted'),
      span(` ${to}`),
    ),
  ];
}

function framed(heading: Line, lines: readonly Line[], inner: number): Line[] {
  const [title = heading] = wrapLines([heading], inner - 2);
  const rest = '─'.repeat(Math.max(0, inner - 1 - displayWidth(plainText([title]))));
  return [
    [span('╭─ ', 'muted'), ...title, span(` ${rest}╮`, 'muted')],
    ...lines.map((line) => {
      const space = ' '.repeat(Math.max(0, inner - displayWidth(plainText([line]))));
      return [span('│ ', 'muted'), ...line, span(`${space} │`, 'muted')];
    }),
    [span(`╰${'─'.repeat(inner + 2)}╯`, 'muted')],
  ];
}
