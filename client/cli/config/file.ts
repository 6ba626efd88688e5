import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '../../sdk/failure.ts';
import type { Variables } from '../terminal.ts';
import { type Config, ConfigError, configOf } from './config.ts';

/** The file of a user's settings (XDG Base Directory Specification). */
export function configPath({ XDG_CONFIG_HOME, HOME }: Variables): string {
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'marketdata', 'config.json');
}

/** The settings, empty without a file. Throws ConfigError if it cannot be read or understood. */
export function readConfig(env: Variables): Config {
  const path = configPath(env);
  return parsed(textAt(path), path);
}

/** Settings in JSON; `path` is named in what is wrong with them. Throws ConfigError. */
function parsed(text: string | undefined, path: string): Config {
  if (text === undefined) return {};
  try {
    return configOf(JSON.parse(text));
  } catch (error) {
    throw new ConfigError(`${path} is not understood: ${messageOf(error)}`);
  }
}

/**
 * Replaces the settings by what `change` makes of those in the file, and returns them. All of the file is written or
 * nothing: it is renamed into its place. A file that is not understood is left as it is. Rejects with ConfigError, and
 * with what `change` throws.
 */
export async function updateConfig(env: Variables, change: (config: Config) => Config): Promise<Config> {
  const path = realPath(configPath(env));
  const next = configOf(change(parsed(textAt(path), path)));
  const temporary = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, path);
    return next;
  } catch (error) {
    throw new ConfigError(`${path} cannot be written: ${messageOf(error)}`);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Where a link leads, so that it stays one. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isOfSystem(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}`);
  }
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
