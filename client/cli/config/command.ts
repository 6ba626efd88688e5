import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { currencies } from '../../commands/currency.ts';
import { failed } from '../../commands/failure.ts';
import { UsageError } from '../../commands/parse/words.ts';
import { portfolioIn, portfolioText } from '../../commands/portfolio-file.ts';
import { conversionInto } from '../../commands/run.ts';
import { messageOf } from '../../sdk/failure.ts';
import { ownCommands } from '../own-commands.ts';
import type { RunOwn } from '../print.ts';
import type { Terminal } from '../terminal.ts';
import {
  type Config,
  ConfigError,
  configKeys,
  configPath,
  noKeyReason,
  readConfig,
  updateConfig,
} from './config.ts';

/** `marketdata config`, with `get`, `set`, `unset`, and with `export` and `import` of the portfolio. */
export const runConfig: RunOwn = async ({ positional: [action, ...words] }, session, terminal) => {
  const { env, stdin, stdout } = terminal;
  const { settings, contextOf } = session;
  const [first, second] = words;
  if (words.length > 1 && action !== 'set') throw new UsageError(`One word too many: ${second}`);
  switch (action) {
    case undefined: {
      const json = JSON.stringify(readConfig(env), null, 2);
      stdout.write(settings.format === 'table' ? `${configPath(env)}\n${json}\n` : `${json}\n`);
      return 0;
    }
    case 'get': {
      const key = keyOf(first);
      const value = readConfig(env)[key];
      if (value === undefined) return failed(`${key} is not set`, 'not-found');
      const isPlain = typeof value === 'string' && settings.format === 'table';
      stdout.write(`${isPlain ? value : JSON.stringify(value, null, 2)}\n`);
      return 0;
    }
    case 'set': {
      const key = keyOf(first);
      const value = settingIn(key, words.slice(1));
      if (
        key === 'currency' &&
        typeof value === 'string' &&
        !currencies.includes(value) &&
        value.length === 3
      ) {
        const conversion = await conversionInto(value.toUpperCase(), contextOf(terminal.interrupt));
        if (conversion && 'kind' in conversion) return conversion;
      }
      return changed(terminal, (config) => ({ ...config, [key]: value }));
    }
    case 'unset': {
      const key = keyOf(first);
      return changed(terminal, ({ [key]: _removed, ...rest }) => rest);
    }
    case 'export': {
      const { watchlist = [], holdings = [] } = readConfig(env);
      const portfolio = portfolioText({ watchlist, holdings });
      if (first === undefined || first === '-') {
        stdout.write(portfolio);
        return 0;
      }
      try {
        writeFileSync(first, portfolio, { mode: 0o600, flag: 'wx' });
      } catch (error) {
        throw new ConfigError(`${first} was not written: ${messageOf(error)}`);
      }
      stdout.write(`Written to ${first}\n`);
      return 0;
    }
    case 'import': {
      if (first === undefined) throw new UsageError('Missing file; - reads from standard input');
      const read = async () => (first === '-' ? await text(stdin) : readFileSync(first, 'utf8'));
      const content = await read().catch((error: unknown) => {
        throw new ConfigError(`${first} cannot be read: ${messageOf(error)}`);
      });
      try {
        const portfolio = portfolioIn(content);
        return changed(terminal, (config) => ({ ...config, ...portfolio }));
      } catch (error) {
        if (error instanceof ConfigError) throw error;
        throw new ConfigError(`${first} is not understood: ${messageOf(error)}`);
      }
    }
    default:
      throw new UsageError(`Unknown word ${action}; known: ${ownCommands.config.values?.join(', ')}`);
  }
};

/** The setting with this name. Throws UsageError; for the API key, with the reason why it is not a setting. */
function keyOf(word: string | undefined): keyof Config {
  const key = configKeys.find((name) => name === word?.toLowerCase());
  if (key) return key;
  if (word !== undefined && /key/i.test(word))
    throw new UsageError(`${word} is not a setting: ${noKeyReason}`);
  const problem = word === undefined ? 'Missing key' : `Unknown key ${word}`;
  throw new UsageError(`${problem}; known: ${configKeys.join(', ')}`);
}

/** Parses the value of a setting. Throws UsageError. */
function settingIn(key: keyof Config, words: readonly string[]): string | readonly string[] {
  const [word = ''] = words;
  if (key === 'holdings')
    throw new UsageError('holdings are set one by one: marketdata hold BTC 0.5 @ 60000');
  if (words.length === 0) throw new UsageError(`Missing value of ${key}`);
  if (key === 'watchlist') return words.flatMap((each) => each.split(',')).filter((id) => id !== '');
  if (words.length > 1) throw new UsageError(`${key} has one value, not ${words.length}`);
  return key === 'currency' ? word.toLowerCase() : word;
}

/** Writes the settings and reports which ones changed. */
function changed({ env, stdout }: Terminal, change: (config: Config) => Config): number {
  const before = readConfig(env);
  const after = updateConfig(env, change);
  const lines = configKeys.flatMap((key) => {
    const former = JSON.stringify(before[key]);
    const present = JSON.stringify(after[key]);
    if (former === present) return [];
    if (present === undefined) return [`${key}: removed, was ${former}`];
    return [`${key}: ${present}${former === undefined ? ' (new)' : `, was ${former}`}`];
  });
  stdout.write(lines.length === 0 ? 'Nothing changed\n' : `${lines.join('\n')}\n`);
  return 0;
}
