import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { currencies } from '../../commands/currency.ts';
import { failed } from '../../commands/failure.ts';
import { UsageError } from '../../commands/parse/words.ts';
import { portfolioIn, portfolioText } from '../../commands/portfolio-file.ts';
import type { FailureResult } from '../../commands/result.ts';
import { conversionInto } from '../../commands/run.ts';
import { messageOf } from '../../sdk/failure.ts';
import { ownCommands } from '../own-commands.ts';
import type { RunOwn, Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import {
  type Config,
  ConfigError,
  configKeys,
  configOf,
  configPath,
  noKeyReason,
  readConfig,
  updateConfig,
} from './config.ts';

type Action = (
  words: readonly string[],
  session: Session,
  terminal: Terminal,
) => Promise<number | FailureResult> | number | FailureResult;

const actions: Readonly<Record<string, Action>> = {
  get: ([word, ...more], { settings }, { env, stdout }) => {
    noMore(more);
    const key = keyOf(word);
    const value = readConfig(env)[key];
    if (value === undefined) return failed(`${key} is not set`, 'not-found');
    const isPlain = typeof value === 'string' && settings.format === 'table';
    stdout.write(`${isPlain ? value : JSON.stringify(value, null, 2)}\n`);
    return 0;
  },

  set: async ([word, ...values], { contextOf }, terminal) => {
    const key = keyOf(word);
    const [code = ''] = values;
    if (key === 'currency' && /^[a-z]{3}$/i.test(code) && !currencies.includes(code.toLowerCase())) {
      const conversion = await conversionInto(code.toUpperCase(), contextOf(terminal.interrupt));
      if (conversion && 'kind' in conversion) return conversion;
    }
    return await changed(terminal, (config) => withKey(config, key, values));
  },

  unset: async ([word, ...more], _session, terminal) => {
    noMore(more);
    const key = keyOf(word);
    return await changed(terminal, ({ [key]: _removed, ...rest }) => rest);
  },

  export: ([file, ...more], _session, { env, stdout }) => {
    noMore(more);
    const { watchlist = [], holdings = [] } = readConfig(env);
    const portfolio = portfolioText({ watchlist, holdings });
    if (file === undefined || file === '-') {
      stdout.write(portfolio);
      return 0;
    }
    try {
      writeFileSync(file, portfolio, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      throw new ConfigError(`${file} was not written: ${messageOf(error)}`);
    }
    stdout.write(`Written to ${file}\n`);
    return 0;
  },

  import: async ([file, ...more], _session, terminal) => {
    noMore(more);
    if (file === undefined) throw new UsageError('Missing file; - reads from standard input');
    const { watchlist, holdings } = await portfolioAt(file, terminal);
    return await changed(terminal, (config) => configOf({ ...config, watchlist, holdings }));
  },
};

/** `marketdata config`, with `get`, `set`, `unset`, and with `export` and `import` of the portfolio. */
export const runConfig: RunOwn = async ({ positional: [word, ...rest] }, session, terminal) => {
  const { env, stdout } = terminal;
  if (word === undefined) {
    const json = JSON.stringify(readConfig(env), null, 2);
    stdout.write(session.settings.format === 'table' ? `${configPath(env)}\n${json}\n` : `${json}\n`);
    return 0;
  }
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (!action) throw new UsageError(`Unknown word ${word}; known: ${ownCommands.config.values?.join(', ')}`);
  return await action(rest, session, terminal);
};

/** The setting that a word names. Throws UsageError, for the API key with the reason why it is none. */
function keyOf(word: string | undefined): keyof Config {
  const key = configKeys.find((name) => name === word?.toLowerCase());
  if (key) return key;
  if (word !== undefined && /key/i.test(word)) throw new UsageError(`${word} is no setting: ${noKeyReason}`);
  const problem = word === undefined ? 'Missing key' : `Unknown key ${word}`;
  throw new UsageError(`${problem}; known: ${configKeys.join(', ')}`);
}

/** The settings with one of them set to what was typed. Throws UsageError and ConfigError. */
function withKey(config: Config, key: keyof Config, words: readonly string[]): Config {
  if (key === 'holdings')
    throw new UsageError('holdings are set one by one: marketdata hold BTC 0.5 @ 60000');
  if (words.length === 0) throw new UsageError(`Missing value of ${key}`);
  if (key === 'watchlist') {
    const ids = words.flatMap((word) => word.split(',')).map((id) => id.trim());
    return configOf({ ...config, watchlist: ids.filter((id) => id !== '') });
  }
  if (words.length > 1) throw new UsageError(`${key} has one value, not ${words.length}`);
  return configOf({ ...config, [key]: key === 'currency' ? words[0]?.toLowerCase() : words[0] });
}

/** Writes the settings and says which of them are others now. */
async function changed({ env, stdout }: Terminal, change: (config: Config) => Config): Promise<number> {
  let before: Config = {};
  const after = await updateConfig(env, (config) => {
    before = config;
    return change(config);
  });
  const lines = configKeys.flatMap((key) => {
    const [former, present] = [JSON.stringify(before[key]), JSON.stringify(after[key])];
    if (former === present) return [];
    if (present === undefined) return [`${key}: removed, was ${former}`];
    return [`${key}: ${present}${former === undefined ? ' (new)' : `, was ${former}`}`];
  });
  stdout.write(lines.length === 0 ? 'Nothing changed\n' : `${lines.join('\n')}\n`);
  return 0;
}

async function portfolioAt(file: string, { stdin }: Terminal) {
  let content: string;
  try {
    content = file === '-' ? await text(stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    return portfolioIn(content);
  } catch (error) {
    throw new ConfigError(`${file} is not understood: ${messageOf(error)}`);
  }
}

function noMore([word]: readonly string[]): void {
  if (word !== undefined) throw new UsageError(`One word too many: ${word}`);
}
