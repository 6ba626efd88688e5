import { UsageError } from '../commands/parse/usage-error.ts';
import type { Variables } from './terminal.ts';

/** Options and variables of every terminal program, besides those of its commands. */
export interface Settings {
  /** The service's address, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly json: boolean;
  readonly version: boolean;
  /** The command line without these options. */
  readonly words: readonly string[];
}

export const DEFAULT_URL = 'http://localhost:3000';
export const KEY_VARIABLE = 'MARKETDATA_API_KEY';
const URL_VARIABLE = 'MARKETDATA_URL';

/** The options and variables of every program, for its help. */
export const settingsHelp = `In the terminal also
  --json         only the data, as JSON
  --url <url>    where the service is (default MARKETDATA_URL, else ${DEFAULT_URL})
  --version      the version
  ${KEY_VARIABLE}  the service's API key, where it wants one

Exit status: 0 ok, 1 failure, 2 usage, 3 not found, 4 try again later
`;

/** Takes the programs' own options out of the words. Throws UsageError. */
export function readSettings(args: readonly string[], env: Variables): Settings {
  const words: string[] = [];
  let json = false;
  let version = false;
  let url: string | undefined;
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      words.push(word, ...rest.splice(0));
    } else if (word === '--json') {
      json = true;
    } else if (word === '--version') {
      version = true;
    } else if (word === '--url') {
      url = rest.shift() ?? '';
    } else if (word.startsWith('--url=')) {
      url = word.slice('--url='.length);
    } else {
      words.push(word);
    }
  }
  const baseUrl =
    url === undefined ? addressOf(env[URL_VARIABLE] || DEFAULT_URL, URL_VARIABLE) : addressOf(url, '--url');
  return { baseUrl, apiKey: env[KEY_VARIABLE] || undefined, json, version, words };
}

function addressOf(text: string, setting: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${setting} must be an http:// or https:// URL, not "${text}"`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
