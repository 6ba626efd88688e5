import { nearest } from '../../../shared/platform/mistyped.ts';
import type { ChartRange, ChartStyle, Command, CommandName } from '../command.ts';
import { defaultProtocol, protocols } from '../sources.ts';
import { type ParsedOptions, parseOptions } from './options.ts';
import { rangeNames, ranges } from './ranges.ts';
import {
  commandNamed,
  commandNames,
  commandTable,
  intervals,
  maxCompared,
  maxPrices,
  quotes,
  shortNames,
} from './table.ts';
import { UsageError } from './usage-error.ts';
import { quoted } from './words.ts';

/** Words that a front end reads itself, and that may have been meant by mistyped ones. */
export interface OwnWords {
  readonly commands: readonly string[];
  /** Without the hyphens. */
  readonly options: readonly string[];
}

/**
 * Parses the words of a command line; `--help` anywhere, or `help` alone behind a command, asks for the command's help.
 * Throws UsageError with what is wrong.
 */
export function parseCommand(words: readonly string[], own?: OwnWords): Command {
  const [first, ...rest] = words;
  if (first === undefined || first === '--help' || first === '-h') return { name: 'help', topic: undefined };
  const name = commandNamed(first);
  if (!name) throw unknownCommand(first, rest, own?.commands);

  const end = rest.indexOf('--');
  const isHelp = rest
    .slice(0, end < 0 ? rest.length : end)
    .some((word) => word === '--help' || word === '-h');
  const isHelpWord = rest.length === 1 && rest[0]?.toLowerCase() === 'help';
  if (isHelp || isHelpWord) return { name: 'help', topic: name };

  const fail = (message: string) => new UsageError(message, name);
  return read[name](parseOptions(rest, commandTable[name].options, fail, own?.options), fail);
}

function unknownCommand(word: string, rest: readonly string[], own: readonly string[] = []): UsageError {
  const meant = nearest(word, [...shortNames, ...commandNames, ...own]);
  return meant.length > 0
    ? new UsageError(
        `Unknown command ${word}`,
        undefined,
        meant.map((name) => [name, ...rest.map(quoted)].join(' ')),
      )
    : new UsageError(`Unknown command ${word}; known: ${shortNames.join(', ')}`);
}

type Fail = (message: string) => UsageError;

const read: Readonly<Record<CommandName, (given: ParsedOptions, fail: Fail) => Command>> = {
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

function unknownTopic(topic: string): UsageError {
  const { message, meant } = unknownCommand(topic, []);
  return new UsageError(
    message,
    undefined,
    meant.map((name) => `help ${name}`),
  );
}

function symbolsOf({ positional }: ParsedOptions, fail: Fail): readonly string[] {
  const symbols = [...new Set(positional.map((word) => word.trim()).filter(Boolean))];
  if (symbols.length === 0) throw fail('Missing symbol');
  if (symbols.length > maxPrices) throw fail(`At most ${maxPrices} coins at a time, not ${symbols.length}`);
  return symbols;
}

function symbolOf({ positional }: ParsedOptions, fail: Fail): string {
  const [symbol = '', ...more] = positional.map((word) => word.trim());
  if (symbol === '') throw fail('Missing symbol');
  if (more.length > 0) {
    throw new UsageError('One coin at a time', undefined, [
      `cchart ${quoted(symbol)} --compare ${quoted(more.join(','))}`,
      `cchart ${quoted(positional.join(' '))}`,
      `coinsearch ${positional.map(quoted).join(' ')}`,
    ]);
  }
  return symbol;
}

/** Each coin once, and not the one that they are compared with. */
function comparedOf(given: ParsedOptions, fail: Fail): readonly string[] {
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
function protocolOf({ values }: ParsedOptions) {
  return protocols.find((protocol) => protocol === values.get('protocol')) ?? defaultProtocol;
}

function currencyOf({ values }: ParsedOptions): string | undefined {
  return values.get('currency')?.toUpperCase();
}

function styleOf({ values }: ParsedOptions, fail: Fail): ChartStyle | undefined {
  if (values.has('line') && values.has('candles')) throw fail('Leave out one of --line and --candles');
  if (values.has('line')) return 'line';
  return values.has('candles') ? 'candles' : undefined;
}

function rangeOf(given: ParsedOptions, fail: Fail): ChartRange {
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

function numberOf({ values }: ParsedOptions, name: string): number | undefined {
  const value = values.get(name);
  return value === undefined ? undefined : Number(value);
}
