import type { Coin } from '../../commands/coins.ts';
import {
  intervals,
  maxCandles,
  maxCompared,
  quotes,
  type RangeName,
  rangeNames,
  ranges,
} from '../../commands/parse/table.ts';
import type { ChartRange, ChartStyle } from '../../commands/result.ts';

/** A chart as encoded in an address. */
export interface AddressChart {
  /** Symbols or ids: the chart's own coin, then the compared ones. */
  readonly names: readonly string[];
  readonly style?: ChartStyle;
  readonly isLogarithmic?: boolean;
  /** Whether to draw the moving average. */
  readonly hasAverage?: boolean;
  readonly range: ChartRange;
}

/** A chart with the coins that it shows. */
export interface ChartRequest extends AddressChart {
  readonly coin: Coin;
  readonly compared: readonly Coin[];
}

/** More charts are not typed by hand, and each costs several requests. */
const MAX_CHARTS = 20;
/** Longer than twenty charts with four compared coins each, all given by their ids. */
const MAX_LENGTH = 5000;
const MAX_NAME_LENGTH = 100;

/**
 * The fragment of an address for these charts: `#BTC,ETH+SOL:line:1y`. Charts are separated by commas; a chart starts
 * with its symbol or id and the compared coins after `+`; then, after colons, come deviations from the default: `line`
 * or `candles`, `log`, `ma`, a range (`1y`) or candles and interval (`26x7d`, `45x`, `x1h`), times with `from=` and
 * `to=`, a quote.
 */
export function hashOf(charts: readonly AddressChart[]): string {
  return charts.length === 0 ? '' : `#${charts.map(textOf).join(',')}`;
}

/** The charts of a fragment, with or without `#`, limited to what the page can show, and remarks about the others. */
export function chartsIn(hash: string) {
  const text = hash.replace(/^#/, '');
  if (text.length > MAX_LENGTH) return { charts: [], remarks: ['This address is too long for a dashboard.'] };
  const parts = text.split(',').filter((part) => part !== '');
  const charts = parts.slice(0, MAX_CHARTS).flatMap((part) => chartIn(part) ?? []);
  const over = Math.max(0, parts.length - MAX_CHARTS);
  const unread = parts.length - over - charts.length;
  const remarks: string[] = [];
  if (unread > 0)
    remarks.push(`${unread === 1 ? 'One card' : `${unread} cards`} of this address could not be read.`);
  if (over > 0) remarks.push(`An address shows at most ${MAX_CHARTS} cards: ${over} more were left out.`);
  return { charts, remarks };
}

function textOf({ names, style, isLogarithmic, hasAverage, range }: AddressChart): string {
  const { interval, limit, start, end, quote } = range;
  const named = rangeNames.find((name) => ranges[name].interval === interval && ranges[name].limit === limit);
  const count = named ?? `${limit ?? ''}x${interval ?? ''}`;
  const parts = [
    names.map(encoded).join('+'),
    style,
    isLogarithmic && 'log',
    hasAverage && 'ma',
    count !== 'x' && count,
    start !== undefined && `from=${encoded(start)}`,
    end !== undefined && `to=${encoded(end)}`,
    quote,
  ];
  return parts.filter((part) => typeof part === 'string').join(':');
}

function chartIn(text: string): AddressChart | undefined {
  const [coins = '', ...parts] = text.split(':');
  const names = coins.split('+').map(decoded);
  if (!names.every((name) => name.trim() !== '' && name.length <= MAX_NAME_LENGTH)) return undefined;
  let chart: AddressChart = { names: names.slice(0, 1 + maxCompared), range: {} };
  for (const part of parts) {
    const look = lookIn(part);
    if (!look) return undefined;
    chart = { ...chart, ...look, range: { ...chart.range, ...look.range } };
  }
  return chart;
}

/** The meaning of one part of a chart's text; undefined if it is unknown. */
function lookIn(part: string): Partial<AddressChart> | undefined {
  if (part === 'line' || part === 'candles') return { style: part };
  if (part === 'log') return { isLogarithmic: true };
  if (part === 'ma') return { hasAverage: true };
  const name = rangeNames.find((each) => each === part);
  if (name) return { range: ranges[name] };
  const quote = quotes.find((each) => each === part);
  if (quote) return { range: { quote } };
  const [, edge, encodedTime = ''] = /^(from|to)=(.+)$/s.exec(part) ?? [];
  const time = decoded(encodedTime);
  if (edge) return time === '' ? undefined : { range: edge === 'from' ? { start: time } : { end: time } };
  const [, limit = '', length = ''] = /^(\d{0,3})x(\w*)$/.exec(part) ?? [];
  const interval = intervals.find((each) => each === length);
  const isLimit = limit === '' || (Number(limit) > 0 && Number(limit) <= maxCandles);
  if (limit + length === '' || !isLimit || (length !== '' && !interval)) return undefined;
  return { range: { ...(interval && { interval }), ...(limit !== '' && { limit: Number(limit) }) } };
}

/** Half of a surrogate pair, which no address can carry, becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%24', '$');
}

/** The decoded text; empty if it is not valid percent-encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** A chart of one coin over a standard range. */
export function chartOf(coin: Coin, range: RangeName): ChartRequest {
  return { coin, compared: [], names: [coin.id], range: ranges[range] };
}

/** Charts with the same key show the same data, as candles or as a line. */
export function keyOf({ coin, compared, range }: ChartRequest): string {
  const { interval = '24h', limit = 30, start = '', end = '', quote = 'usd' } = range;
  return JSON.stringify([coin.id, ...compared.map(({ id }) => id), interval, limit, start, end, quote]);
}

/** The label of a range without a name. */
export function customLabel({ interval = '24h', limit = 30, start, end }: ChartRange): string {
  if (start !== undefined) return end === undefined ? `from ${start}` : `${start} to ${end}`;
  return `${limit} × ${interval}${end === undefined ? '' : ` to ${end}`}`;
}
