import type { Command } from '../../commands/command.ts';
import { intervals, quotes } from '../../commands/parse/table.ts';
import { type ChartRange, type Coin, protocols } from '../../commands/providers.ts';

type ChartCommand = Extract<Command, { readonly name: 'chart' }>;

/** The coin and command of a card: enough to fetch its chart again after a reload. */
export interface CardRequest {
  readonly coin: Coin;
  readonly command: ChartCommand;
}

/** Cards with the same key show the same data, be it as candles or as a line. */
export function keyOf({ coin, command: { protocol, range } }: CardRequest): string {
  const { interval = '24h', limit = 30, start = '', end = '', quote = 'usd' } = range;
  return JSON.stringify([protocol, coin.id, interval, limit, start, end, quote]);
}

/** The cards that were stored, without those that this version cannot read. */
export function cardRequestsOf(value: unknown): readonly CardRequest[] {
  if (!Array.isArray(value)) return [];
  return value.map(cardRequestOf).filter((request) => request !== undefined);
}

function cardRequestOf(value: unknown): CardRequest | undefined {
  const { coin, command } = fieldsOf(value);
  const { id, name, symbol, alternatives, isActive } = fieldsOf(coin);
  const { protocol, style, range } = fieldsOf(command);
  const known = protocols.find((candidate) => candidate === protocol);
  if (!known || typeof id !== 'string' || typeof name !== 'string' || typeof symbol !== 'string') {
    return undefined;
  }
  return {
    coin: {
      id,
      name,
      symbol,
      alternatives: typeof alternatives === 'number' ? alternatives : 0,
      isActive: isActive !== false,
    },
    command: {
      name: 'chart',
      symbol: id,
      compare: [],
      protocol: known,
      style: style === 'line' || style === 'candles' ? style : undefined,
      range: rangeOf(range),
    },
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

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
