import { converted } from '../currency/conversion.ts';
import { quoted } from '../parse/words.ts';
import type { Priced, PriceResult } from '../result.ts';
import { formatAmount, formatPercent, formatPrice } from './numbers.ts';
import { toneOf } from './price.ts';
import { clean, displayWidth, fitted, type Line, type Span, span } from './text.ts';

const GAP = 2;
const MIN_NAME = 8;

interface Column {
  readonly title: string;
  readonly cellOf: (priced: Priced) => Span;
  /** Of its title and its cells. */
  readonly width: number;
}

/** Several prices in columns, as many as fit `width` cells: symbol, price and the day's change always. */
export function priceTable({ prices, conversion }: PriceResult, width: number): Line[] {
  const told = (usd: number | null) => converted(usd, conversion);
  const amount = (usd: number | null) => span(formatAmount(told(usd), conversion?.currency));
  const change = (percent: number | null) => span(formatPercent(percent), toneOf(percent));
  const column = (title: string, cellOf: Column['cellOf']): Column => {
    const widths = prices.map((priced) => displayWidth(cellOf(priced).text));
    return { title, cellOf, width: Math.max(displayWidth(title), ...widths) };
  };
  const symbol = column('Symbol', ({ coin, data }) => ({
    text: clean(data.symbol),
    tone: 'strong',
    command: `cchart ${quoted(coin.id)}`,
  }));
  const name = column('Name', ({ data }) => span(clean(data.name)));
  const price = column('Price', ({ data }) =>
    span(formatPrice(told(data.quotes.USD.price), conversion?.currency), 'strong'),
  );
  const hour = column('1h', ({ data }) => change(data.quotes.USD.percent_change_1h));
  const day = column('24h', ({ data }) => change(data.quotes.USD.percent_change_24h));
  const week = column('7d', ({ data }) => change(data.quotes.USD.percent_change_7d));
  const marketCap = column('Market cap', ({ data }) => amount(data.quotes.USD.market_cap));
  const volume = column('24h volume', ({ data }) => amount(data.quotes.USD.volume_24h));

  const narrowName = { ...name, width: Math.min(name.width, MIN_NAME) };
  const shown = new Set([symbol, price, day]);
  for (const next of [week, narrowName, hour, marketCap, volume]) {
    if (widthOf([...shown, next]) <= width) shown.add(next);
  }
  const others = [price, hour, day, week, marketCap, volume].filter((each) => shown.has(each));
  const room = width - widthOf([symbol, ...others]) - GAP;
  const left = shown.has(narrowName) ? [symbol, { ...name, width: Math.min(name.width, room) }] : [symbol];
  return [
    [span([...left.map(titleLeft), ...others.map(titleRight)].join(' '.repeat(GAP)), 'muted')],
    ...prices.map((priced) => [
      ...left.flatMap((each) => cellLeft(each, priced)),
      ...others.flatMap((each, index) => cellRight(each, priced, index === 0 ? 0 : GAP)),
    ]),
  ];
}

function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP, -GAP);
}

function titleLeft({ title, width }: Column): string {
  return fitted(title, width);
}

function titleRight({ title, width }: Column): string {
  return title.padStart(width);
}

/** With the gap behind it; the spaces are no part of what a command stands for. */
function cellLeft({ cellOf, width }: Column, priced: Priced): Span[] {
  const cell = cellOf(priced);
  const text = fitted(cell.text, width).trimEnd();
  return [{ ...cell, text }, span(' '.repeat(width - displayWidth(text) + GAP))];
}

/** With a gap in front of it. */
function cellRight({ cellOf, width }: Column, priced: Priced, gap: number): Span[] {
  const cell = cellOf(priced);
  return [span(' '.repeat(width - displayWidth(cell.text) + gap)), cell];
}
