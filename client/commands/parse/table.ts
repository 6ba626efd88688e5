import type { CommandName } from '../command.ts';
import { defaultProtocol, protocols } from '../sources.ts';
import { integer, type OptionSpec, type OptionTable, oneOf } from './options.ts';
import { rangeNames } from './ranges.ts';

export interface CommandSpec {
  /** The name that implies the provider, such as `cprice`. */
  readonly short?: string;
  readonly argument?: string;
  readonly summary: string;
  readonly options: OptionTable;
  readonly examples: readonly string[];
  /** What the argument may be, if that is known. */
  readonly values?: readonly string[];
  /** The command whose first word may name this one too: `cprice alert`. */
  readonly under?: CommandName;
  /** True if people do not type it: help and completion leave it out. */
  readonly isHidden?: boolean;
  /** True if it is of no use in a prompt, which neither runs nor offers it. */
  readonly isOfShell?: boolean;
  /** True if all words behind its name are its own, also those that look like options. */
  readonly passesAll?: boolean;
}

/** What a front end adds to the table: commands of its own, and options that every command has there. */
export interface FrontEnd {
  /** In front of its own commands in their usage. */
  readonly program?: string;
  readonly commands: Readonly<Record<string, CommandSpec>>;
  readonly options: OptionTable;
}

export const intervals = ['1h', '24h', '7d', '14d', '30d', '90d', '365d'] as const;
export const quotes = ['usd', 'btc'] as const;
/** Offered by completion and by the page; which ones there are, the rates say. */
export const currencies =
  'usd eur aud brl cad chf cny czk dkk gbp hkd huf idr ils inr isk jpy krw mxn myr nok nzd php pln ron sek sgd thb try zar'.split(
    ' ',
  );
export const maxCandles = 366;
export const maxMatches = 100;
export const maxPrices = 100;
export const maxCompared = 4;

const protocol = oneOf(protocols, `where the data comes from (default ${defaultProtocol})`);
const currency: OptionSpec = {
  placeholder: 'code',
  summary: 'dollars converted at the latest rate: eur, jpy …',
  allowed: 'the three letters of a currency, such as eur',
  accepts: (value) => /^[a-z]{3}$/i.test(value),
  values: currencies,
};
const time = 'an ISO 8601 date or time, such as 2026-01-31';

/** Every command with its argument and options: the parser, the help and the completion read it. */
export const commandTable: Readonly<Record<CommandName, CommandSpec>> = {
  price: {
    short: 'cprice',
    argument: '<symbol…>',
    summary: 'the price of a coin, or of several, by symbol, id or name',
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
    summary: 'coins whose symbol, name or id is like the query',
    options: { limit: integer(1, maxMatches, 'the most matches to list (default 20)'), protocol },
    examples: ['coinsearch bitcoin', 'coinsearch wrapped ether', 'coinsearch etherum --limit 5'],
  },
  chart: {
    short: 'cchart',
    argument: '<symbol>',
    summary: 'a chart of a coin: 30 daily candles unless told otherwise',
    options: {
      range: oneOf(rangeNames, `a usual time up to now: ${rangeNames.join(', ')}`),
      compare: {
        placeholder: 'symbols',
        summary: 'other coins, separated by commas; changes in percent in place of prices',
      },
      line: { summary: 'a line of closing prices instead of candlesticks' },
      candles: { summary: 'candlesticks also of prices that would be drawn as a line' },
      interval: oneOf(intervals, `the time of one candle: ${intervals.join(', ')} (default 24h)`),
      limit: integer(1, maxCandles, `how many candles, 1 to ${maxCandles} (default 30)`),
      start: { placeholder: 'time', summary: `the first candle: ${time}` },
      end: { placeholder: 'time', summary: 'the last candle (default now)' },
      quote: oneOf(quotes, 'prices in dollars or in bitcoin (default usd)'),
      currency,
      protocol,
    },
    examples: [
      'cchart BTC',
      'cchart ETH --line',
      'cchart BTC --compare ETH,SOL --range 1y',
      'cchart SOL --interval 7d --limit 26',
      'cchart BTC --currency eur',
      'cchart BTC --start 2026-01-01 --end 2026-01-31',
    ],
  },
  help: {
    argument: '[command]',
    summary: 'what the commands are, or how one is used',
    options: {},
    examples: ['help', 'help cchart'],
  },
};

export const commandNames = Object.keys(commandTable) as readonly CommandName[];

/** The command that a word names, in any case; undefined if it names none. */
export function commandNamed(word: string): CommandName | undefined {
  const name = word.toLowerCase();
  return commandNames.find((candidate) => candidate === name || commandTable[candidate].short === name);
}

/** The names that people type most: the short one if there is one. */
export const shortNames = commandNames.map((name) => commandTable[name].short ?? name);

/** A front end that adds nothing. */
export const plainFrontEnd: FrontEnd = { commands: {}, options: {} };

/** `cprice <symbol> [options]`, or `marketdata config [get|set …]` of a front end's own command. */
export function usageOf(name: string, { program, commands }: FrontEnd = plainFrontEnd): string | undefined {
  const core = commandNames.find((each) => each === name);
  const {
    short = name,
    argument,
    options,
  }: CommandSpec = core ? commandTable[core] : (commands[name] ?? noCommand);
  const under = commands[name]?.under;
  const before = core ? undefined : under ? commandTable[under].short : program;
  const isOpen = core && Object.keys(options).length > 0;
  const text = [before, short, argument, isOpen ? '[options]' : undefined].filter(
    (part) => part !== undefined,
  );
  return text.join(' ');
}

const noCommand: CommandSpec = { summary: '', options: {}, examples: [] };
