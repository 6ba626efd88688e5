import { currencies } from '../currency.ts';
import type { ChartRange, CommandName } from '../result.ts';
import { defaultProtocol, protocols } from '../sources.ts';

export interface OptionSpec {
  /** The name of the value in the usage; undefined for an option without a value. */
  readonly placeholder?: string;
  readonly summary: string;
  /** True if the value is optional; the next word is the value only if it is accepted. */
  readonly isOptional?: boolean;
  /** Completes "allowed: …"; undefined if the service validates the value. */
  readonly allowed?: string;
  readonly accepts?: (value: string) => boolean;
  readonly values?: readonly string[];
}

/** Options by name, without the hyphens. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** `--url <url>`, with an optional value in brackets. */
export function optionText(name: string, { placeholder, isOptional }: OptionSpec): string {
  if (isOptional) return `--${name} [${placeholder}]`;
  return placeholder === undefined ? `--${name}` : `--${name} <${placeholder}>`;
}

export function oneOf(values: readonly string[], summary: string): OptionSpec {
  return {
    placeholder: values.length > 3 ? 'value' : values.join('|'),
    summary,
    allowed: values.join(', '),
    accepts: (value) => values.includes(value),
    values,
  };
}

export function integer(from: number, to: number, summary: string): OptionSpec {
  return {
    placeholder: 'number',
    summary,
    allowed: `a whole number from ${from} to ${to}`,
    accepts: (value) => /^\d{1,9}$/.test(value) && Number(value) >= from && Number(value) <= to,
  };
}

export const intervals = ['1h', '24h', '7d', '14d', '30d', '90d', '365d'] as const;
export const quotes = ['usd', 'btc'] as const;

export const maxCandles = 366;
export const maxMatches = 100;
export const maxPrices = 100;
/** More lines in one chart are hard to distinguish. */
export const maxCompared = 4;

/** The values of `--range`, and the buttons of a chart: how many candles of which interval. */
export const ranges = {
  '1d': { interval: '1h', limit: 24 },
  '7d': { interval: '1h', limit: 168 },
  '1m': { interval: '24h', limit: 30 },
  '3m': { interval: '24h', limit: 90 },
  '1y': { interval: '24h', limit: 365 },
  /** `wholeRange` chooses the interval for a coin's whole history; 14 days is the default without a start. */
  all: { interval: '14d', limit: maxCandles },
} as const satisfies Readonly<Record<string, ChartRange>>;

export type RangeName = keyof typeof ranges;

export const rangeNames = Object.keys(ranges) as readonly RangeName[];

/** The name of a range; undefined if it has none. */
export function rangeNameOf({ interval = '24h', limit = 30, start, end }: ChartRange): RangeName | undefined {
  if (start !== undefined || end !== undefined) return undefined;
  return rangeNames.find((name) => ranges[name].interval === interval && ranges[name].limit === limit);
}

const DAY_MS = 86_400_000;

/** All candles since a time in one request, at the shortest interval that reaches back that far. */
export function wholeRange(since: string | null | undefined, now: number): ChartRange {
  const age = (now - Date.parse(since ?? '')) / DAY_MS;
  if (Number.isNaN(age)) return ranges.all;
  const days = ([1, 7, 14] as const).find((length) => age < length * (maxCandles - 1)) ?? 30;
  return { interval: days === 1 ? '24h' : `${days}d`, limit: maxCandles };
}

export interface CommandSpec {
  /** The name that implies the provider, such as `cprice`. */
  readonly short?: string;
  readonly argument?: string;
  readonly summary: string;
  readonly options: OptionTable;
  readonly examples: readonly string[];
  /** The accepted arguments, if they are a fixed set. */
  readonly values?: readonly string[];
  /** The command whose first word may also name this one: `cprice alert`. */
  readonly under?: CommandName;
  /** True if the prompt neither runs nor offers it. */
  readonly isOfShell?: boolean;
  /** True if it receives all words after its name, including those that look like options. */
  readonly passesAll?: boolean;
}

/** A front end's additions to the table: its own commands, and options that every command has there. */
export interface FrontEnd {
  /** The program's name, which precedes its own commands in their usage. */
  readonly program?: string;
  readonly commands: Readonly<Record<string, CommandSpec>>;
  readonly options: OptionTable;
}

const protocol = oneOf(protocols, `the data source (default ${defaultProtocol})`);
const currency: OptionSpec = {
  placeholder: 'code',
  summary: 'prices in a currency: eur, uah, xau …',
  allowed: 'the three letters of a currency, such as eur',
  accepts: (value) => /^[a-z]{3}$/i.test(value),
  values: currencies,
};

/** Every command with its argument and options, for the parser, the help and the completion. */
export const commandTable: Readonly<Record<CommandName, CommandSpec>> = {
  price: {
    short: 'cprice',
    argument: '<symbol…>',
    summary: 'the price of one or more coins, by symbol, id or name',
    options: { currency, protocol },
    examples: [
      'cprice BTC',
      'cprice btc-bitcoin',
      'cprice BTC ETH SOL',
      'cprice BTC --currency eur',
      `price BTC --protocol ${defaultProtocol}`,
    ],
  },
  search: {
    short: 'coinsearch',
    argument: '<query…>',
    summary: 'search coins by symbol, name or id',
    options: { limit: integer(1, maxMatches, 'the most matches to list (default 20)'), protocol },
    examples: ['coinsearch bitcoin', 'coinsearch wrapped ether', 'coinsearch etherum --limit 5'],
  },
  chart: {
    short: 'cchart',
    argument: '<symbol>',
    summary: 'a chart of a coin, by default of 30 daily candles',
    options: {
      range: oneOf(rangeNames, `a range up to now: ${rangeNames.join(', ')}`),
      compare: {
        placeholder: 'symbols',
        summary: 'other coins, comma-separated; shows percent changes',
      },
      line: { summary: 'a line of closing prices instead of candlesticks' },
      candles: { summary: 'candlesticks even where a line is the default' },
      interval: oneOf(intervals, `candle length: ${intervals.join(', ')}`),
      limit: integer(1, maxCandles, `how many candles, 1 to ${maxCandles} (default 30)`),
      start: { placeholder: 'time', summary: 'the first candle: an ISO time such as 2026-01-31' },
      end: { placeholder: 'time', summary: 'the last candle (default now)' },
      quote: oneOf(quotes, 'prices in dollars or in bitcoin (default usd)'),
      currency,
      protocol,
    },
    examples: [
      'cchart BTC',
      'cchart BTC --compare ETH,SOL --range 1y',
      'cchart SOL --interval 7d --limit 26',
    ],
  },
  help: {
    argument: '[command]',
    summary: 'list the commands, or explain one',
    options: {},
    examples: ['help', 'help cchart'],
  },
};

export const commandNames = Object.keys(commandTable) as readonly CommandName[];

/** The command with this name, in any case; undefined if there is none. */
export function commandNamed(word: string): CommandName | undefined {
  const name = word.toLowerCase();
  return commandNames.find((candidate) => candidate === name || commandTable[candidate].short === name);
}

/** The names that people type most: the short one if it exists. */
export const shortNames = commandNames.map((name) => commandTable[name].short ?? name);

/** A front end without additions. */
export const plainFrontEnd: FrontEnd = { commands: {}, options: {} };

/** The description of a command in the table or in the front end's; undefined if there is none with this name. */
export function specOf(name: string, { commands }: FrontEnd = plainFrontEnd): CommandSpec | undefined {
  const specs: Readonly<Record<string, CommandSpec>> = { ...commands, ...commandTable };
  return Object.hasOwn(specs, name) ? specs[name] : undefined;
}

/** `cprice <symbol> [options]`, or `marketdata config [get|set …]` for a front end's own command. */
export function usageOf(name: string, frontEnd: FrontEnd = plainFrontEnd): string {
  const { short = name, argument, options = {}, under }: Partial<CommandSpec> = specOf(name, frontEnd) ?? {};
  const isCore = Object.hasOwn(commandTable, name);
  const before = isCore ? undefined : under ? commandTable[under].short : frontEnd.program;
  const isOpen = isCore && Object.keys(options).length > 0;
  return [before, short, argument, isOpen && '[options]'].filter(Boolean).join(' ');
}
