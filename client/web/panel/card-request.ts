import type { Coin } from '../../commands/coins.ts';
import type { ChartRange } from '../../commands/command.ts';
import { intervals, quotes } from '../../commands/parse/table.ts';
import type { ChartResult } from '../../commands/result.ts';
import { protocols } from '../../commands/sources.ts';
import { type DashboardItem, MAX_COMPARED } from '../dashboard.ts';

/** The coins and the command of a card: enough to fetch its chart again after a reload. */
export interface CardRequest extends DashboardItem {
  readonly coin: Coin;
  /** In the order of `command.compare`. */
  readonly compared: readonly Coin[];
}

/** The request of a card that shows a result; its coins go by what finds them again. */
export function requestOf({ coin, command, compared }: ChartResult): CardRequest {
  const coins = compared.slice(0, MAX_COMPARED).map((each) => each.coin);
  return {
    coin,
    compared: coins,
    isLogarithmic: false,
    command: {
      ...command,
      symbol: nameOf(coin, command.symbol),
      compare: coins.map((each, index) => nameOf(each, command.compare[index] ?? '')),
      currency: undefined, // all cards have the page's
    },
  };
}

/** The request with these coins to compare. A symbol that finds a coin stays what it is called by. */
export function comparing(request: CardRequest, compared: readonly Coin[]): CardRequest {
  const names = new Map(request.compared.map((coin, index) => [coin.id, request.command.compare[index]]));
  const compare = compared.map((coin) => names.get(coin.id) ?? coin.id);
  return { ...request, compared, command: { ...request.command, compare } };
}

/** What a coin that was found by `asked` is called in an address: its symbol if that finds it, otherwise its id. */
export function nameOf({ id, symbol }: Coin, asked: string): string {
  return asked.toLowerCase() === symbol.toLowerCase() ? symbol : id;
}

/** Cards with the same key show the same data, be it as candles or as a line. */
export function keyOf({ coin, compared, command: { protocol, range } }: CardRequest): string {
  const { interval = '24h', limit = 30, start = '', end = '', quote = 'usd' } = range;
  const ids = [coin, ...compared].map(({ id }) => id);
  return JSON.stringify([protocol, ids, interval, limit, start, end, quote]);
}

/** The cards that were stored, without those that this version cannot read. */
export function cardRequestsOf(value: unknown): readonly CardRequest[] {
  if (!Array.isArray(value)) return [];
  return value.map(cardRequestOf).filter((request) => request !== undefined);
}

function cardRequestOf(value: unknown): CardRequest | undefined {
  const { coin: ownCoin, compared, command, isLogarithmic } = fieldsOf(value);
  const { protocol, style, range, symbol, compare } = fieldsOf(command);
  const known = protocols.find((candidate) => candidate === protocol);
  const coin = coinOf(ownCoin);
  if (!known || !coin) return undefined;
  const coins = listOf(compared).flatMap((each) => coinOf(each) ?? []);
  const names = listOf(compare);
  return {
    coin,
    compared: coins,
    isLogarithmic: isLogarithmic === true,
    command: {
      name: 'chart',
      symbol: typeof symbol === 'string' ? nameOf(coin, symbol) : coin.id,
      compare: coins.map((each, index) => nameOf(each, String(names[index] ?? ''))),
      protocol: known,
      style: style === 'line' || style === 'candles' ? style : undefined,
      range: rangeOf(range),
    },
  };
}

function coinOf(value: unknown): Coin | undefined {
  const { id, name, symbol, alternatives, isActive } = fieldsOf(value);
  if (typeof id !== 'string' || typeof name !== 'string' || typeof symbol !== 'string') return undefined;
  return {
    id,
    name,
    symbol,
    alternatives: typeof alternatives === 'number' ? alternatives : 0,
    isActive: isActive !== false,
  };
}

function rangeOf(value: unknown): ChartRange {
  const { interval, limit, start, end, quote } = fieldsOf(value);
  return defined({
    interval: intervals.find((known) => known === interval),
    limit: typeof limit === 'number' ? limit : undefined,
    start: typeof start === 'string' ? start : undefined,
    end: typeof end === 'string' ? end : undefined,
    quote: quotes.find((known) => known === quote),
  });
}

function defined(range: ChartRange): ChartRange {
  return Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_COMPARED) : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
