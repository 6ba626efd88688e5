import {
  integer,
  type OptionSpec,
  type OptionTable,
  oneOf,
  valueProblem,
} from '../commands/parse/options.ts';
import { UsageError } from '../commands/parse/usage-error.ts';
import type { Config } from './config/config.ts';
import { readConfig } from './config/file.ts';
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
  readonly version: boolean;
  /** What the user has set for good; settings above go before it. */
  readonly config: Config;
  /** The least seconds between two answers, 0 if none were named; undefined: there is one answer. */
  readonly watch: number | undefined;
  /** Whether the page is wanted in place of an answer. */
  readonly open: boolean;
  /** The command line without these options. */
  readonly words: readonly string[];
}

export const DEFAULT_URL = 'http://localhost:3000';
export const KEY_VARIABLE = 'MARKETDATA_API_KEY';
const URL_VARIABLE = 'MARKETDATA_URL';

const format = oneOf(outputFormats, 'a table to read (the default), or data: csv, json, ndjson');
const watch: OptionSpec = {
  ...integer(
    1,
    86_400,
    'a price or chart again and again, when it may be a new one; no more often than so many seconds',
  ),
  placeholder: 'sec',
  isOptional: true,
};

/** The programs' own options: what reads them, the help and the completion are made of this table. */
export const settingTable: OptionTable = {
  format,
  json: { summary: 'short for --format json' },
  url: {
    placeholder: 'url',
    summary: `where the service is (default ${URL_VARIABLE}, else config's url, else ${DEFAULT_URL})`,
  },
  version: { summary: 'the version' },
  watch,
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

/** Takes the programs' own options out of the words. Throws UsageError and ConfigError. */
export function readSettings(args: readonly string[], env: Variables): Settings {
  const words: string[] = [];
  const given = new Map<string, string>();
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const spec = Object.hasOwn(settingTable, name) ? settingTable[name] : undefined;
    if (word === '--') {
      words.push(word, ...rest.splice(0));
    } else if (spec?.isOptional) {
      given.set(name, value ?? (spec.accepts?.(rest[0] ?? '') ? (rest.shift() ?? '') : ''));
    } else if (spec && spec.placeholder !== undefined) {
      given.set(name, value ?? rest.shift() ?? '');
    } else if (spec && value === undefined) {
      given.set(name, '');
    } else {
      words.push(word);
    }
  }
  const version = given.has('version');
  const config = version || isAboutPrograms(words) ? {} : readConfig(env);
  const url = given.get('url');
  const baseUrl =
    url === undefined
      ? addressOf(env[URL_VARIABLE] || config.url || DEFAULT_URL, URL_VARIABLE)
      : addressOf(url, '--url');
  return {
    baseUrl,
    config,
    apiKey: env[KEY_VARIABLE] || undefined,
    format: formatOf(given),
    version,
    watch: watchOf(given.get('watch')),
    open: given.has('open'),
    words,
  };
}

/** These need no settings, so that a file which is not understood does not stop them. */
function isAboutPrograms(words: readonly string[]): boolean {
  return (
    /^(help|completion)$/i.test(words[0] ?? '') || words.some((word) => word === '--help' || word === '-h')
  );
}

function watchOf(seconds: string | undefined): number | undefined {
  if (seconds && !watch.accepts?.(seconds)) {
    throw new UsageError(`--watch needs ${watch.allowed}, not "${seconds}"`);
  }
  return seconds === undefined ? undefined : Number(seconds);
}

/** The format that a command line asks for which is wrong, so that what is wrong with it is told as that. */
export function formatAskedFor(args: readonly string[]): OutputFormat {
  if (args.includes('--json')) return 'json';
  const [, name] = /(?:^| )--format[ =](\w+)(?: |$)/.exec(args.join(' ')) ?? [];
  return outputFormats.find((known) => known === name) ?? 'table';
}

function formatOf(given: ReadonlyMap<string, string>): OutputFormat {
  const name = given.get('format');
  const json = given.has('json');
  if (name === undefined) return json ? 'json' : 'table';
  const known = outputFormats.find((candidate) => candidate === name);
  if (!known) throw new UsageError(valueProblem('format', name, format) ?? '');
  if (json && known !== 'json') throw new UsageError(`Leave out one of --json and --format ${known}`);
  return known;
}

function addressOf(text: string, setting: string): string {
  // `URL.parse` came with 20.19 and 22.1.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${setting} must be an http:// or https:// URL, not "${text}"`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
