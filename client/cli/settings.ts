import type { OptionValues, ParsedLine } from '../commands/parse/parse.ts';
import { integer, type OptionTable, oneOf } from '../commands/parse/table.ts';
import { UsageError } from '../commands/parse/words.ts';
import { type Config, readConfig } from './config/config.ts';
import type { Variables } from './terminal.ts';

/** `ndjson`: one JSON object a line. */
const outputFormats = ['table', 'csv', 'json', 'ndjson'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Options and variables of every terminal program, besides those of its commands. */
export interface Settings {
  /** The service's address, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly format: OutputFormat;
  /** What the user has set for good; settings above go before it. */
  readonly config: Config;
  /** The least seconds between two answers, 0 if none were named; undefined: there is one answer. */
  readonly watch: number | undefined;
  /** Whether the page is wanted in place of an answer. */
  readonly open: boolean;
}

const DEFAULT_URL = 'http://localhost:3000';
export const KEY_VARIABLE = 'MARKETDATA_API_KEY';
const URL_VARIABLE = 'MARKETDATA_URL';

/** The options of every program, beside those of its commands. */
export const settingTable: OptionTable = {
  format: oneOf(outputFormats, 'a table to read (the default), or data: csv, json, ndjson'),
  json: { summary: 'short for --format json' },
  url: {
    placeholder: 'url',
    summary: `where the service is (default ${URL_VARIABLE}, else config's url, else ${DEFAULT_URL})`,
  },
  version: { summary: 'the version' },
  watch: {
    ...integer(
      1,
      86_400,
      'a price or chart again and again, when it may be a new one; no more often than so many seconds',
    ),
    placeholder: 'sec',
    isOptional: true,
  },
  open: { summary: 'opens the page with it in the browser, and prints its address' },
};

/** The variables of the environment that have no option. */
export const variableTable: Readonly<Record<string, string>> = {
  [KEY_VARIABLE]: "the service's API key, where it wants one",
};

/** In the order of their numbers, from 0 on. */
export const exitStatuses = [
  'ok',
  'failure',
  'usage',
  'not found',
  'try again later',
  'condition does not hold',
] as const;
export const TRY_LATER = exitStatuses.indexOf('try again later');
/** Of `alert --once`: none that a failure has, so that a script can tell them apart. */
export const DOES_NOT_HOLD = exitStatuses.indexOf('condition does not hold');

/**
 * The settings of a command line. `usual` are options of the prompt that it was typed in, which its own go before.
 * Throws UsageError and ConfigError.
 */
export function settingsOf(line: ParsedLine, env: Variables, usual: OptionValues = new Map()): Settings {
  const { name, values, isHelp } = line;
  // These need no settings, so that a file which is not understood does not stop them.
  const isAboutPrograms = isHelp || values.has('version') || name === 'help' || name === 'completion';
  const config = isAboutPrograms ? {} : readConfig(env);
  const url = values.get('url') ?? usual.get('url');
  const watch = values.get('watch');
  return {
    baseUrl:
      url === undefined
        ? addressOf(env[URL_VARIABLE] || config.url || DEFAULT_URL, URL_VARIABLE)
        : addressOf(url, '--url'),
    config,
    apiKey: env[KEY_VARIABLE] || undefined,
    format: formatOf(values) ?? formatOf(usual) ?? 'table',
    watch: watch === undefined ? undefined : Number(watch),
    open: values.has('open'),
  };
}

/** The format that a command line asks for which is wrong, so that what is wrong with it is told as that. */
export function formatAskedFor(args: readonly string[]): OutputFormat {
  if (args.includes('--json')) return 'json';
  const [, name] = /(?:^| )--format[ =](\w+)(?: |$)/.exec(args.join(' ')) ?? [];
  return outputFormats.find((known) => known === name) ?? 'table';
}

function formatOf(values: OptionValues): OutputFormat | undefined {
  const format = outputFormats.find((known) => known === values.get('format'));
  if (!values.has('json')) return format;
  if (format !== undefined && format !== 'json')
    throw new UsageError(`Leave out one of --json and --format ${format}`);
  return 'json';
}

function addressOf(text: string, setting: string): string {
  // `URL.parse` came with 20.19 and 22.1.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${setting} must be an http:// or https:// URL, not "${text}"`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
