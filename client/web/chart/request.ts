import type { Coin } from '../../commands/coins.ts';
import { type RangeName, ranges } from '../../commands/parse/table.ts';
import type { ChartRange, ChartStyle } from '../../commands/result.ts';
import { defaultProtocol } from '../../commands/sources.ts';
import type { DashboardItem } from './dashboard.ts';

/** A chart with the coins that it shows. */
export interface ChartRequest extends DashboardItem {
  readonly coin: Coin;
  /** In the order of `command.compare`. */
  readonly compared: readonly Coin[];
}

/** A chart of one coin over a usual time. */
export function requestFor(coin: Coin, range: RangeName): ChartRequest {
  return {
    coin,
    compared: [],
    isLogarithmic: false,
    command: {
      name: 'chart',
      symbol: coin.id,
      compare: [],
      protocol: defaultProtocol,
      style: undefined,
      range: ranges[range],
    },
  };
}

export function withRange(request: ChartRequest, range: ChartRange): ChartRequest {
  const { quote } = request.command.range;
  return { ...request, command: { ...request.command, range: { ...range, ...(quote && { quote }) } } };
}

export function withStyle(request: ChartRequest, style: ChartStyle): ChartRequest {
  return { ...request, command: { ...request.command, style } };
}

/** The request with these coins to compare. A symbol that finds a coin stays what it is called by. */
export function comparing(request: ChartRequest, compared: readonly Coin[]): ChartRequest {
  const names = new Map(request.compared.map((coin, index) => [coin.id, request.command.compare[index]]));
  const compare = compared.map((coin) => names.get(coin.id) ?? coin.id);
  return { ...request, compared, command: { ...request.command, compare } };
}

/** What a coin that was found by `typed` is called in an address: its symbol if that finds it, otherwise its id. */
export function nameOf({ id, symbol }: Coin, typed: string): string {
  return typed.toLowerCase() === symbol.toLowerCase() ? symbol : id;
}

/** Charts with the same key show the same data, be it as candles or as a line. */
export function keyOf({ coin, compared, command: { protocol, range } }: ChartRequest): string {
  const { interval = '24h', limit = 30, start = '', end = '', quote = 'usd' } = range;
  const ids = [coin, ...compared].map(({ id }) => id);
  return JSON.stringify([protocol, ids, interval, limit, start, end, quote]);
}

/** What a range that has no name is called. */
export function customLabel({ interval = '24h', limit = 30, start, end }: ChartRange): string {
  if (start !== undefined) return end === undefined ? `from ${start}` : `${start} to ${end}`;
  return `${limit} × ${interval}${end === undefined ? '' : ` to ${end}`}`;
}
