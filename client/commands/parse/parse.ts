import type { Command, CommandName } from '../command.ts';
import { type ChartRange, defaultProtocol, protocols } from '../providers.ts';
import { type ParsedOptions, parseOptions } from './options.ts';
import { commandNamed, commandTable, intervals, quotes, shortNames } from './table.ts';
import { UsageError } from './usage-error.ts';

/**
 * Parses the words of a command line; `--help` anywhere asks for the command's help.
 * Throws UsageError with what is wrong.
 */
export function parseCommand(words: readonly string[]): Command {
  const [first, ...rest] = words;
  if (first === undefined || first === '--help' || first === '-h') return { name: 'help', topic: undefined };
  const name = commandNamed(first);
  if (!name) throw new UsageError(`Unknown command ${first}; known: ${shortNames.join(', ')}`);

  const end = rest.indexOf('--');
  const isHelp = rest
    .slice(0, end < 0 ? rest.length : end)
    .some((word) => word === '--help' || word === '-h');
  if (isHelp) return { name: 'help', topic: name };

  const fail = (message: string) => new UsageError(message, name);
  return read[name](parseOptions(rest, commandTable[name].options, fail), fail);
}

type Fail = (message: string) => UsageError;

const read: Readonly<Record<CommandName, (given: ParsedOptions, fail: Fail) => Command>> = {
  price: (given, fail) => ({
    name: 'price',
    symbol: symbolOf(given, fail),
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
      protocol: protocolOf(given),
      style: given.values.has('line') ? 'line' : 'candles',
      range: rangeOf(given),
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
    if (!name) throw new UsageError(`Unknown command ${topic}; known: ${shortNames.join(', ')}`);
    return { name: 'help', topic: name };
  },
};

function symbolOf({ positional }: ParsedOptions, fail: Fail): string {
  const [symbol = '', ...more] = positional.map((word) => word.trim());
  if (symbol === '') throw fail('Missing symbol');
  if (more.length > 0) {
    throw fail(`One symbol at a time; to find a coin by several words: coinsearch ${positional.join(' ')}`);
  }
  return symbol;
}

// The option table let only known values pass, so each of these look-ups finds one.
function protocolOf({ values }: ParsedOptions) {
  return protocols.find((protocol) => protocol === values.get('protocol')) ?? defaultProtocol;
}

function currencyOf({ values }: ParsedOptions): string | undefined {
  return values.get('currency')?.toUpperCase();
}

function rangeOf(given: ParsedOptions): ChartRange {
  const { values } = given;
  const range = {
    interval: intervals.find((interval) => interval === values.get('interval')),
    limit: numberOf(given, 'limit'),
    start: values.get('start'),
    end: values.get('end'),
    quote: quotes.find((quote) => quote === values.get('quote')),
  };
  return Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined));
}

function numberOf({ values }: ParsedOptions, name: string): number | undefined {
  const value = values.get(name);
  return value === undefined ? undefined : Number(value);
}
