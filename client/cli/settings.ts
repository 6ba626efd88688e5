import type { OptionValues, ParsedLine } from '../commands/parse/parse.ts';
import { integer, type OptionTable, oneOf } from '../commands/parse/table.ts';
import { UsageError } from '../commands/parse/words.ts';
import { type Config, readConfig } from './config/config.ts';
import type { Variables } from './terminal.ts';

/** `ndjson`: one JSON object per line. */
const outputFormats = ['table', 'csv', 'json', 'ndjson'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Options and variables of every terminal program, besides those of its commands. */
export interface Settings {
  /** The service's address, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly format: OutputFormat;
  /** The user's stored settings; the settings above take precedence. */
  readonly config: Config;
  /** The least seconds between two updates, 0 if not given; undefined: print once. */
  readonly watch: number | undefined;
  /** Whether to open the page instead of printing. */
  readonly open: boolean;
}

const DEFAULT_URL = 'http://localhost:3000';
export const KEY_VARIABLE = 'MARKETDATA_API_KEY';
const URL_VARIABLE = 'MARKETDATA_URL';

/** The options of every program, besides those of its commands. */
export const settingTable: OptionTable = {
  format: oneOf(outputFormats, 'table (the default), csv, json or ndjson'),
  json: { summary: 'short for --format json' },
  url: {
    placeholder: 'url',
    summary: `the service's address; also ${URL_VARIABLE}, config url`,
  },
  version: { summary: 'print the version' },
  watch: {
    ...integer(1, 86_400, 'refresh a price or chart, at most every so many seconds'),
    placeholder: 'sec',
    isOptional: true,
  },
  open: { summary: 'open it in the browser, and print its address' },
};

/** The environment variables that have no option. */
export const variableTable: Readonly<Record<string, string>> = {
  [KEY_VARIABLE]: "the service's API key, if it requires one",
};

/** The exit statuses in the order of their numbers, starting at 0. */
export const exitStatuses = ['ok', 'failure', 'usage', 'not found', 'try later', 'not met'] as const;
export const TRY_LATER = exitStatuses.indexOf('try later');
/** The status of `alert --once` while the not met; no failure uses it. */
export const DOES_NOT_HOLD = exitStatuses.indexOf('not met');

/**
 * The settings of a command line. `usual` are the options given to the prompt; the command's own take precedence.
 * Throws UsageError and ConfigError.
 */
export function settingsOf(line: ParsedLine, env: Variables, usual: OptionValues = new Map()): Settings {
  const { name, values, isHelp } = line;
  // These need no settings, so an invalid settings file does not stop them.
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

/** The output format of an invalid command line, so that its error is printed in that format. */
export function requestedFormat(args: readonly string[]): OutputFormat {
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
  // `URL.parse` requires Node 20.19 or 22.1.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${setting} must be an http:// or https:// URL, not "${text}"`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
