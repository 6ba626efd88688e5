import { nearest } from '../../../shared/platform/mistyped.ts';
import { currencies } from '../currency.ts';
import type { ChartRange, ChartStyle, Command, CommandName } from '../result.ts';
import { defaultProtocol, protocols } from '../sources.ts';
import {
  type CommandSpec,
  commandNamed,
  commandNames,
  commandTable,
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
  usageOf,
} from './table.ts';
import { quoted, UsageError } from './words.ts';

/** A command line by the table: which command it is, its words, and its options with those of the front end. */
export interface ParsedLine {
  /** The command's name in the table; undefined if the line names none. */
  readonly name: string | undefined;
  readonly positional: readonly string[];
  readonly values: OptionValues;
  readonly isHelp: boolean;
}

/**
 * Reads a command line. Options may stand before and behind the command, and after `--` nothing is an option. `--help`
 * anywhere, or `help` alone behind a command, asks for the command's help. Throws UsageError with what is wrong.
 */
export function parseLine(words: readonly string[], frontEnd: FrontEnd = plainFrontEnd): ParsedLine {
  const end = words.indexOf('--');
  const before = words.slice(0, end < 0 ? words.length : end);
  if (before.some((word) => word === '--help' || word === '-h')) {
    const first = before.find((word) => !isOption(word));
    const named = before.map((word) => specNamed(word, frontEnd)).filter((each) => each !== undefined);
    if (first !== undefined && named.length === 0) throw unknownCommand(first, [], frontEnd);
    const under = named.find(({ spec }) => spec.under !== undefined && spec.under === named[0]?.name);
    const { name, spec } = under ?? named[0] ?? {};
    if (!spec?.passesAll) return { name, positional: [], values: new Map(), isHelp: true };
  }

  const rest = [...words];
  const positional: string[] = [];
  const values = new Map<string, string>();
  let command: ReturnType<typeof specNamed>;
  function take(word: string): void {
    const known = positional.length === 0 ? specNamed(word, frontEnd) : undefined;
    if (known && (!command || known.spec.under === command.name)) command = known;
    else if (!command) throw unknownCommand(word, rest, frontEnd);
    else positional.push(word);
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      for (const each of rest.splice(0)) take(each);
    } else if (isOption(word)) {
      const table = { ...command?.spec.options, ...frontEnd.options };
      const problem = readOption(word, rest, table, values, positional.length > 0);
      if (problem !== undefined) throw new UsageError(problem, command && usageOf(command.name, frontEnd));
    } else {
      take(word);
      if (command?.spec.passesAll) positional.push(...rest.splice(0));
    }
  }
  const name = command?.name;
  const isHelp =
    end < 0 && positional.length === 1 && positional[0]?.toLowerCase() === 'help' && name !== 'help';
  return isHelp && !command?.spec.passesAll
    ? { name, positional: [], values, isHelp }
    : { name, positional, values, isHelp: false };
}

/** The command of a line. Throws UsageError with what is wrong. */
export function parseCommand(words: readonly string[], frontEnd?: FrontEnd): Command {
  return commandOf(parseLine(words, frontEnd));
}

/** The command of a line that names one of the commands of all front ends. Throws UsageError. */
export function commandOf({ name, positional, values, isHelp }: ParsedLine): Command {
  const known = commandNames.find((each) => each === name);
  if (!known || isHelp) return { name: 'help', topic: known };
  return read[known]({ positional, values }, (message) => new UsageError(message, usageOf(known)));
}

type Fail = (message: string) => UsageError;
type Given = Pick<ParsedLine, 'positional' | 'values'>;

const read: Readonly<Record<CommandName, (given: Given, fail: Fail) => Command>> = {
  price: (given, fail) => ({
    name: 'price',
    symbols: symbolsOf(given, fail),
    protocol: protocolOf(given),
    currency: currencyOf(given),
  }),

  chart: (given, fail) => {
    if (given.values.has('currency') && given.values.get('quote') === 'btc') {
      throw fail('--currency is for prices in US dollars; leave out one of --currency and --quote btc');
    }
    return {
      name: 'chart',
      symbol: symbolOf(given, fail),
      compare: comparedOf(given, fail),
      protocol: protocolOf(given),
      style: styleOf(given, fail),
      range: rangeOf(given, fail),
      currency: currencyOf(given),
    };
  },

  search: (given, fail) => {
    const query = given.positional.join(' ').trim();
    if (query === '') throw fail('Missing query');
    return { name: 'search', query, protocol: protocolOf(given), limit: numberOf(given, 'limit') };
  },

  help: ({ positional: [topic] }) => {
    if (topic === undefined) return { name: 'help', topic: undefined };
    const name = commandNamed(topic);
    if (!name) throw unknownTopic(topic);
    return { name: 'help', topic: name };
  },
};

function specNamed(word: string, { commands }: FrontEnd): { name: string; spec: CommandSpec } | undefined {
  const core = commandNamed(word);
  if (core) return { name: core, spec: commandTable[core] };
  const name = word.toLowerCase();
  const spec = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return spec && { name, spec };
}

function unknownCommand(word: string, rest: readonly string[], { commands }: FrontEnd): UsageError {
  const own = Object.keys(commands).filter((name) => !commands[name]?.isHidden);
  const meant = nearest(word, [...shortNames, ...commandNames, ...own]);
  return meant.length > 0
    ? new UsageError(
        `Unknown command ${word}`,
        undefined,
        meant.map((name) => [name, ...rest.map(quoted)].join(' ')),
      )
    : new UsageError(`Unknown command ${word}; known: ${shortNames.join(', ')}`);
}

function unknownTopic(topic: string): UsageError {
  const { message, meant } = unknownCommand(topic, [], plainFrontEnd);
  return new UsageError(
    message,
    undefined,
    meant.map((name) => `help ${name}`),
  );
}

/** Each once; `BTC,ETH` are two. */
function symbolsOf({ positional }: Given, fail: Fail): readonly string[] {
  const words = positional.flatMap((word) => (/\s/.test(word.trim()) ? [word] : word.split(',')));
  const symbols = [...new Set(words.map((word) => word.trim()).filter(Boolean))];
  const pair = symbols.map(pairIn).find((found) => found !== undefined);
  if (pair) throw noPair(pair, 'cprice');
  if (symbols.length === 0) throw fail('Missing symbol');
  if (symbols.length > maxPrices) throw fail(`At most ${maxPrices} coins at a time, not ${symbols.length}`);
  return symbols;
}

function pairIn(symbol: string) {
  const [, coin, code = ''] = /^([^\s/]+)\/([a-z]{3})$/i.exec(symbol) ?? [];
  const isKnown = currencies.includes(code.toLowerCase());
  return coin === undefined || !isKnown ? undefined : { coin, currency: code.toLowerCase() };
}

function noPair({ coin, currency }: NonNullable<ReturnType<typeof pairIn>>, program: string): UsageError {
  const meant = [program, quoted(coin), ...(currency === 'usd' ? [] : ['--currency', currency])].join(' ');
  return new UsageError(`${coin}/${currency.toUpperCase()} is a pair: name the coin alone`, undefined, [
    meant,
  ]);
}

function symbolOf({ positional }: Given, fail: Fail): string {
  const words = positional.length === 1 ? listOf(positional[0]) : positional.map((word) => word.trim());
  const [symbol = '', ...more] = /\s/.test(positional[0]?.trim() ?? '') ? positional : words;
  if (symbol === '') throw fail('Missing symbol');
  const pair = pairIn(symbol);
  if (pair) throw noPair(pair, 'cchart');
  if (more.length > 0) {
    throw new UsageError('One coin at a time', undefined, [
      `cchart ${quoted(symbol)} --compare ${quoted(more.join(','))}`,
      `cchart ${quoted([symbol, ...more].join(' '))}`,
      `coinsearch ${[symbol, ...more].map(quoted).join(' ')}`,
    ]);
  }
  return symbol;
}

/** Each coin once, and not the one that they are compared with. */
function comparedOf(given: Given, fail: Fail): readonly string[] {
  const { values } = given;
  if (!values.has('compare')) return [];
  if (values.has('candles'))
    throw fail('Coins are compared by lines; leave out one of --compare and --candles');
  const seen = new Set([symbolOf(given, fail).toLowerCase()]);
  const others = listOf(values.get('compare')).filter((symbol) => {
    const isNew = !seen.has(symbol.toLowerCase());
    seen.add(symbol.toLowerCase());
    return isNew;
  });
  if (others.length > maxCompared) {
    throw fail(`At most ${maxCompared} coins are compared with one, not ${others.length}`);
  }
  return others;
}

// The option table let only known values pass, so each of these look-ups finds one.
function protocolOf({ values }: Given) {
  return protocols.find((protocol) => protocol === values.get('protocol')) ?? defaultProtocol;
}

function currencyOf({ values }: Given): string | undefined {
  return values.get('currency')?.toUpperCase();
}

function styleOf({ values }: Given, fail: Fail): ChartStyle | undefined {
  if (values.has('line') && values.has('candles')) throw fail('Leave out one of --line and --candles');
  if (values.has('line')) return 'line';
  return values.has('candles') ? 'candles' : undefined;
}

function rangeOf(given: Given, fail: Fail): ChartRange {
  const { values } = given;
  const named = rangeNames.find((name) => name === values.get('range'));
  const other = ['interval', 'limit', 'start', 'end'].find((name) => values.has(name));
  if (named && other) throw fail(`--range says how many candles of which interval; leave out --${other}`);
  return {
    ...(named && ranges[named]),
    ...defined({
      interval: intervals.find((interval) => interval === values.get('interval')),
      limit: numberOf(given, 'limit'),
      start: values.get('start'),
      end: values.get('end'),
      quote: quotes.find((quote) => quote === values.get('quote')),
    }),
  };
}

function defined(range: ChartRange): ChartRange {
  return Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined));
}

function listOf(text = ''): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  return [...new Set(items)].filter((item) => item !== '');
}

function numberOf({ values }: Given, name: string): number | undefined {
  const value = values.get(name);
  return value === undefined ? undefined : Number(value);
}

/** By name; `''` for an option without a value. */
export type OptionValues = ReadonlyMap<string, string>;

/** Whether a word is an option. A number with a sign, such as `-0.5`, is none. */
export function isOption(word: string): boolean {
  return /^-[^\d.]/.test(word);
}

/**
 * Reads one option, `word`, and takes its value from `rest` unless it stands in the word itself: `--name value` and
 * `--name=value` are alike. `isBehindWords` is true if the command has words already, so that the next one is more
 * likely a wrong value than its first. Returns what is wrong, or undefined after it has set the value.
 */
export function readOption(
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

/** What is wrong with the value of an option, and what is right; undefined if nothing is. */
function valueProblem(
  name: string,
  value: string,
  { accepts, allowed, values = [] }: OptionSpec,
): string | undefined {
  const wanted = allowed === undefined ? '' : `; allowed: ${allowed}`;
  if (value === '') return `Option --${name} needs a value${wanted}`;
  if (!accepts || accepts(value)) return undefined;
  return `Unknown value "${value}" of --${name}${meantText(nearest(value, values)) || wanted}`;
}

function unknownOption(word: string, table: OptionTable): string {
  const names = Object.keys(table);
  const [name = ''] = word.replace(/^-+/, '').split('=');
  const meant = nearest(name, names).map((option) => `--${option}`);
  const known = names.map((option) => `--${option}`).join(', ');
  return `Unknown option ${word}${meantText(meant) || (known && `; known: ${known}`)}`;
}

/** `; did you mean this or that?`, or nothing. */
function meantText(meant: readonly string[]): string {
  return meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : '';
}
