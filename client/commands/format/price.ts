import { coinHeading, coinNotes, coinTitle } from '../coins.ts';
import { converted } from '../currency.ts';
import { quoted } from '../parse/words.ts';
import type { Provenance } from '../provenance.ts';
import type { Priced, PriceResult } from '../result.ts';
import { sourceLine } from '../sources.ts';
import { formatAmount, formatPercent, formatPrice } from './numbers.ts';
import { clean, displayWidth, fitted, type Line, type Span, span, type Tone } from './text.ts';

/** The report of each price. */
export function priceLines(result: PriceResult, now: number): Line[] {
  return result.prices.flatMap((priced) => {
    const { heading, notes, price, change, marketCap, volume, source } = priceReport(priced, result, now);
    return [heading, ...notes, price, change, marketCap, volume, source];
  });
}

/** Name, remarks, price, change, market cap with rank, volume and source, each a line. */
export function priceReport({ coin, data, provenance }: Priced, { conversion }: PriceResult, now: number) {
  const { price, percent_change_24h: change, market_cap: marketCap, volume_24h: volume } = data.quotes.USD;
  const currency = conversion?.currency;
  const shown = (usd: number | null) => converted(usd, conversion);
  const rank = data.rank !== null && data.rank > 0 ? `rank #${data.rank}` : 'unranked';
  return {
    heading: coinHeading(coinTitle(data), coin),
    notes: coinNotes(coin),
    price: priceRow('Price', span(formatPrice(shown(price), currency), 'strong')),
    change: priceRow('24h change', span(formatPercent(change), toneOf(change))),
    marketCap: priceRow('Market cap', span(`${formatAmount(shown(marketCap), currency)} (${rank})`)),
    volume: priceRow('24h volume', span(formatAmount(shown(volume), currency))),
    source: priceRow('Source', ...sourceLine(provenance, { conversion, now })),
  };
}

/** The tone of a change; a change of zero has none. */
export function toneOf(change: number | null): Tone | undefined {
  if (change === null || Number(change.toFixed(2)) === 0) return undefined;
  return change > 0 ? 'up' : 'down';
}

export const PRICE_LABEL_WIDTH = 13;

export function priceRow(label: string, ...value: Span[]): Line {
  return [span(`${label}:`.padEnd(PRICE_LABEL_WIDTH), 'muted'), ...value];
}

/** Several prices as a table of at most `width` cells, with their sources and remarks; then why there are no others. */
export function pricesLines(result: PriceResult, width: number, now: number): Line[] {
  const { prices, missing } = result;
  const notes = prices.flatMap(({ coin, data }) => [
    ...(coin.isActive ? [] : [[span(`${clean(data.symbol)} is no longer active.`, 'muted')]]),
    ...coinNotes({ ...coin, isActive: true }),
  ]);
  return [
    ...priceTable(result, width),
    ...sourceLines(result, now),
    ...notes,
    ...missing.flatMap(({ lines }) => [[], ...lines]),
  ];
}

interface Group {
  readonly symbols: string[];
  /** Of the oldest price. */
  provenance: Provenance;
}

/** A line for all prices of the same sources and quality, with their coins unless it is of all. */
function sourceLines({ prices, conversion }: PriceResult, now: number): Line[] {
  const groups = new Map<string, Group>();
  for (const { data, provenance } of prices) {
    const kind = kindOf(provenance);
    const group = groups.get(kind) ?? { symbols: [], provenance };
    group.symbols.push(clean(data.symbol));
    if (isOlder(provenance, group.provenance)) group.provenance = provenance;
    groups.set(kind, group);
  }
  return [...groups.values()].map(({ symbols, provenance }) => [
    span(groups.size > 1 ? `Source of ${symbols.join(', ')}: ` : 'Source: ', 'muted'),
    ...sourceLine(provenance, { conversion, now }),
  ]);
}

/** What is told of an answer, its time apart. */
function kindOf({ sources, isSimulated, quality, outdatedMs }: Provenance): string {
  return JSON.stringify([sources, isSimulated, quality, outdatedMs !== undefined]);
}

function isOlder({ madeAt }: Provenance, other: Provenance): boolean {
  return madeAt !== undefined && other.madeAt !== undefined && madeAt < other.madeAt;
}

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
