import { nearest } from '../../../shared/platform/mistyped.ts';
import { currencies } from '../currency.ts';
import type { ChartRange, Command } from '../result.ts';
import { defaultProtocol, protocols } from '../sources.ts';
import {
  type CommandSpec,
  commandNamed,
  commandNames,
  type FrontEnd,
  intervals,
  maxCompared,
  maxPrices,
  type OptionSpec,
  type OptionTable,
  plainFrontEnd,
  quotes,
  rangeNames,
  ranges,
  shortNames,
  specOf,
  usageOf,
} from './table.ts';
import { quoted, UsageError } from './words.ts';

/** The values by option name; `''` for an option without a value. */
export type OptionValues = ReadonlyMap<string, string>;

/** A parsed command line: its command, its words, and its options including those of the front end. */
export interface ParsedLine {
  /** The command's name in the table; undefined if the line has none. */
  readonly name: string | undefined;
  readonly positional: readonly string[];
  readonly values: OptionValues;
  readonly isHelp: boolean;
}

interface Named {
  readonly name: string;
  readonly spec: CommandSpec;
}

/**
 * Parses a command line. Options may come before and after the command; after `--` nothing is an option. `--help`
 * anywhere, or `help` alone after a command, requests the command's help. Throws UsageError, which says what is wrong.
 */
export function parseLine(words: readonly string[], frontEnd: FrontEnd = plainFrontEnd): ParsedLine {
  const end = words.indexOf('--');
  const before = end < 0 ? words : words.slice(0, end);
  if (before.some((word) => word === '--help' || word === '-h')) {
    const first = before.find((word) => !isOption(word));
    const command = commandIn(before, frontEnd);
    if (first !== undefined && !command) throw unknownCommand(first, [], frontEnd);
    if (!command?.spec.passesAll)
      return { name: command?.name, positional: [], values: new Map(), isHelp: true };
  }

  const rest = [...words];
  const positional: string[] = [];
  const values = new Map<string, string>();
  let command: Named | undefined;
  let isOver = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!isOver && word === '--') {
      isOver = true;
    } else if (!isOver && isOption(word)) {
      const table = { ...command?.spec.options, ...frontEnd.options };
      const problem = readOption(word, rest, table, values, positional.length > 0);
      if (problem !== undefined) throw new UsageError(problem, command && usageOf(command.name, frontEnd));
    } else {
      const known = positional.length === 0 ? named(word, frontEnd) : undefined;
      if (known && (!command || known.spec.under === command.name)) command = known;
      else if (command) positional.push(word);
      else throw unknownCommand(word, rest, frontEnd);
      if (command.spec.passesAll) positional.push(...rest.splice(0));
    }
  }
  const name = command?.name;
  const isHelp =
    end < 0 && positional.length === 1 && positional[0]?.toLowerCase() === 'help' && name !== 'help';
  return isHelp && !command?.spec.passesAll
    ? { name, positional: [], values, isHelp }
    : { name, positional, values, isHelp: false };
}

/** The command that one of the words names, such as the second of `price … alert`; undefined if none does. */
export function commandIn(words: readonly string[], frontEnd: FrontEnd): Named | undefined {
  const [first, ...others] = words.flatMap((word) => named(word, frontEnd) ?? []);
  return others.find(({ spec }) => spec.under !== undefined && spec.under === first?.name) ?? first;
}

function named(word: string, frontEnd: FrontEnd): Named | undefined {
  const name = commandNamed(word) ?? word.toLowerCase();
  const spec = specOf(name, frontEnd);
  return spec && { name, spec };
}

function unknownCommand(word: string, rest: readonly string[], { commands }: FrontEnd): UsageError {
  const meant = nearest(word, [...shortNames, ...commandNames, ...Object.keys(commands)]);
  const known = meant.length > 0 ? '' : `; known: ${shortNames.join(', ')}`;
  const lines = meant.map((name) => [name, ...rest.map(quoted)].join(' '));
  return new UsageError(`Unknown command ${word}${known}`, undefined, lines);
}

/** Whether a word is an option. A signed number, such as `-0.5`, is not. */
function isOption(word: string): boolean {
  return /^-[^\d.]/.test(word);
}

/**
 * Parses the option `word`, and takes its value from `rest` unless the word contains it: `--name value` and
 * `--name=value` are equivalent. `isBehindWords` is true if the command already has words, so that the next one is more
 * likely a wrong value than the first word. Returns an error message, or undefined after setting the value.
 */
function readOption(
  word: string,
  rest: string[],
  table: OptionTable,
  values: Map<string, string>,
  isBehindWords: boolean,
): string | undefined {
  const [, name = '', given] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const spec = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!spec) return unknownOption(word, table);
  if (values.has(name)) return `Option --${name} is given twice`;
  values.set(name, '');
  if (spec.placeholder === undefined)
    return given === undefined ? undefined : `Option --${name} takes no value`;
  const next = rest[0];
  if (spec.isOptional && given === undefined) {
    const isMeant = isBehindWords || /^[-+\d]/.test(next ?? '');
    if (next === undefined || isOption(next) || !(isMeant || spec.accepts?.(next))) return undefined;
  }
  const value = given ?? (next?.startsWith('--') ? undefined : rest.shift()) ?? '';
  values.set(name, value);
  return valueProblem(name, value, spec);
}

/** The error message for an option's value; undefined if it is valid. */
function valueProblem(name: string, value: string, spec: OptionSpec): string | undefined {
  const { accepts, allowed, values = [] } = spec;
  const wanted = allowed === undefined ? '' : `; allowed: ${allowed}`;
  if (value === '') return `Option --${name} needs a value${wanted}`;
  if (!accepts || accepts(value)) return undefined;
  return `Unknown value "${value}" of --${name}${meantText(nearest(value, values)) || wanted}`;
}

function unknownOption(word: string, table: OptionTable): string {
  const known = Object.keys(table).map((option) => `--${option}`);
  const [name = ''] = word.replace(/^-+/, '').split('=');
  const meant = nearest(name, Object.keys(table)).map((option) => `--${option}`);
  return `Unknown option ${word}${meantText(meant) || (known.length > 0 ? `; known: ${known.join(', ')}` : '')}`;
}

/** `; did you mean this or that?`, or nothing. */
function meantText(meant: readonly string[]): string {
  return meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : '';
}

/** The command of a line. Throws UsageError, which says what is wrong. */
export function parseCommand(words: readonly string[], frontEnd?: FrontEnd): Command {
  return commandOf(parseLine(words, frontEnd));
}

/** The command of a line that names a command of all front ends. Throws UsageError. */
export function commandOf({ name, positional, values, isHelp }: ParsedLine): Command {
  const known = commandNames.find((each) => each === name);
  if (!known || isHelp) return { name: 'help', topic: known };
  const fail = (message: string) => new UsageError(message, usageOf(known));
  // The option table accepts only known values.
  const protocol = protocols.find((each) => each === values.get('protocol')) ?? defaultProtocol;
  const currency = values.get('currency')?.toUpperCase();
  switch (known) {
    case 'price': {
      const symbols = symbolsIn(positional);
      checkPair(symbols, 'cprice');
      if (symbols.length === 0) throw fail('Missing symbol');
      if (symbols.length > maxPrices)
        throw fail(`At most ${maxPrices} coins at a time, not ${symbols.length}`);
      return { name: known, symbols, protocol, currency };
    }
    case 'chart': {
      const [symbol, ...more] = symbolsIn(positional);
      if (symbol === undefined) throw fail('Missing symbol');
      checkPair([symbol], 'cchart');
      if (more.length > 0) throw oneAtATime(symbol, more);
      const isLowerSymbol = (each: string) => each.toLowerCase() === symbol.toLowerCase();
      const compare = symbolsIn((values.get('compare') ?? '').split(',')).filter(
        (each) => !isLowerSymbol(each),
      );
      if (compare.length > maxCompared)
        throw fail(`At most ${maxCompared} coins are compared with one, not ${compare.length}`);
      const problem = conflictIn(values);
      if (problem !== undefined) throw fail(problem);
      const style = values.has('line') ? 'line' : values.has('candles') ? 'candles' : undefined;
      return { name: known, symbol, compare, protocol, style, range: rangeOf(values), currency };
    }
    case 'search': {
      const query = positional.join(' ').trim();
      if (query === '') throw fail('Missing query');
      return { name: known, query, protocol, limit: numberOf(values.get('limit')) };
    }
    case 'help': {
      const [word] = positional;
      const topic = word === undefined ? undefined : commandNamed(word);
      if (word === undefined || topic) return { name: known, topic };
      const { message, meant } = unknownCommand(word, [], plainFrontEnd);
      throw new UsageError(
        message,
        undefined,
        meant.map((each) => `help ${each}`),
      );
    }
  }
}

/** The symbols in words, without duplicates; `BTC,ETH` is two symbols. */
function symbolsIn(words: readonly string[]): readonly string[] {
  const all = words
    .flatMap((word) => (/\s/.test(word.trim()) ? [word] : word.split(',')))
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const lower = all.map((word) => word.toLowerCase());
  return all.filter((_, index) => lower.indexOf(lower[index] ?? '') === index);
}

/** `BTC/EUR` is a coin and a currency. */
function checkPair(symbols: readonly string[], program: string): void {
  for (const symbol of symbols) {
    const [, coin, code = ''] = /^([^\s/]+)\/([a-z]{3})$/i.exec(symbol) ?? [];
    const currency = code.toLowerCase();
    if (coin === undefined || !currencies.includes(currency)) continue;
    const meant = [program, quoted(coin), ...(currency === 'usd' ? [] : ['--currency', currency])].join(' ');
    const message = `${coin}/${currency.toUpperCase()} is a pair: name the coin alone`;
    throw new UsageError(message, undefined, [meant]);
  }
}

function oneAtATime(symbol: string, more: readonly string[]): UsageError {
  const all = [symbol, ...more];
  return new UsageError('One coin at a time', undefined, [
    `cchart ${quoted(symbol)} --compare ${quoted(more.join(','))}`,
    `cchart ${quoted(all.join(' '))}`,
    `coinsearch ${all.map(quoted).join(' ')}`,
  ]);
}

/** Which chart options exclude each other; undefined if none do. */
function conflictIn(values: OptionValues): string | undefined {
  if (values.has('currency') && values.get('quote') === 'btc')
    return 'Prices are in a currency or in bitcoin; leave out one of --currency and --quote btc';
  if (values.has('compare') && values.has('candles'))
    return 'Coins are compared by lines; leave out one of --compare and --candles';
  if (values.has('line') && values.has('candles')) return 'Leave out one of --line and --candles';
  const other = ['interval', 'limit', 'start', 'end'].find((name) => values.has(name));
  if (values.has('range') && other)
    return `--range says how many candles of which interval; leave out --${other}`;
  return undefined;
}

function rangeOf(values: OptionValues): ChartRange {
  const name = rangeNames.find((each) => each === values.get('range'));
  const range: ChartRange = {
    interval: intervals.find((interval) => interval === values.get('interval')),
    limit: numberOf(values.get('limit')),
    start: values.get('start'),
    end: values.get('end'),
    quote: quotes.find((quote) => quote === values.get('quote')),
  };
  const given = Object.entries(range).filter(([, value]) => value !== undefined);
  return { ...(name && ranges[name]), ...Object.fromEntries(given) };
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
