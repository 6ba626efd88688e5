import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseOptions } from '../../commands/parse/options.ts';
import { UsageError } from '../../commands/parse/usage-error.ts';
import { messageOf } from '../../sdk/failure.ts';
import { failed } from '../own-failure.ts';
import type { RunOwn } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { changesOf } from './changes.ts';
import { ConfigError } from './config.ts';
import { configPath, parsed, readConfig, updateConfig } from './file.ts';
import { keyOf, withKey, withoutKey } from './keys.ts';

const actions: Readonly<Record<string, RunOwn>> = {
  get: async ([word, ...more], { settings }, { env, stdout }) => {
    noMore(more);
    const key = keyOf(word);
    const value = readConfig(env)[key];
    if (value === undefined) return failed(`${key} is not set`, 'not-found');
    const isPlain = typeof value === 'string' && settings.format === 'table';
    stdout.write(`${isPlain ? value : JSON.stringify(value, null, 2)}\n`);
    return 0;
  },

  set: async ([word, ...values], _session, terminal) => {
    const key = keyOf(word);
    return await changed(terminal, (config) => withKey(config, key, values));
  },

  unset: async ([word, ...more], _session, terminal) => {
    noMore(more);
    const key = keyOf(word);
    return await changed(terminal, (config) => withoutKey(config, key));
  },

  export: async ([file, ...more], _session, { env, stdout }) => {
    noMore(more);
    const json = `${JSON.stringify(readConfig(env), null, 2)}\n`;
    if (file === undefined || file === '-') {
      stdout.write(json);
      return 0;
    }
    try {
      writeFileSync(file, json, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      throw new ConfigError(`${file} was not written: ${messageOf(error)}`);
    }
    stdout.write(`Written to ${file}\n`);
    return 0;
  },

  import: async ([file, ...more], _session, terminal) => {
    noMore(more);
    if (file === undefined) throw new UsageError('Missing file; - reads from standard input');
    const next = parsed(await contentOf(file, terminal), file);
    return await changed(terminal, () => next);
  },
};

/** `marketdata config`, with `get`, `set`, `unset`, `export` and `import`. */
export const runConfig: RunOwn = async (words, session, terminal) => {
  const { env, stdout } = terminal;
  const { positional } = parseOptions(words, {}, (message) => new UsageError(message));
  const [word, ...rest] = positional;
  if (word === undefined) {
    const json = JSON.stringify(readConfig(env), null, 2);
    stdout.write(session.settings.format === 'table' ? `${configPath(env)}\n${json}\n` : `${json}\n`);
    return 0;
  }
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (!action) throw new UsageError(`Unknown word ${word}; known: ${Object.keys(actions).join(', ')}`);
  return await action(rest, session, terminal);
};

/** Writes the settings and tells what is different in them. */
async function changed(
  { env, stdout }: Terminal,
  change: Parameters<typeof updateConfig>[1],
): Promise<number> {
  let changes: string[] = [];
  await updateConfig(env, (before) => {
    const after = change(before);
    changes = changesOf(before, after);
    return after;
  });
  stdout.write(changes.length === 0 ? 'Nothing changed\n' : `${changes.join('\n')}\n`);
  return 0;
}

async function contentOf(file: string, { stdin }: Terminal): Promise<string> {
  try {
    return file === '-' ? await text(stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function noMore([word]: readonly string[]): void {
  if (word !== undefined) throw new UsageError(`One word too many: ${word}`);
}
