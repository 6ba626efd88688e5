import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '../../sdk/failure.ts';
import type { Variables } from '../terminal.ts';
import { type Config, ConfigError, configOf } from './config.ts';
import { locked } from './lock.ts';

/** An editor may write the file without asking for the lock. */
const MAX_TRIES = 5;

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
export function parsed(text: string | undefined, path: string): Config {
  if (text === undefined) return {};
  try {
    return configOf(JSON.parse(text));
  } catch (error) {
    throw new ConfigError(`${path} is not understood: ${messageOf(error)}`);
  }
}

/**
 * Replaces the settings by what `change` makes of those in the file, and returns them. They are read under a lock, so
 * that what another process writes meanwhile is not lost. A file that is not understood is left as it is.
 * Rejects with ConfigError, and with what `change` throws.
 */
export async function updateConfig(env: Variables, change: (config: Config) => Config): Promise<Config> {
  const path = realPath(configPath(env));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const written = await locked(path, (isOurs) => {
        const before = textAt(path);
        const next = configOf(change(parsed(before, path)));
        const isSame = () => isOurs() && textAt(path) === before;
        return write(path, `${JSON.stringify(next, null, 2)}\n`, isSame) ? next : undefined;
      });
      if (written) return written;
    }
    throw new ConfigError(`${path} is changed by other programs again and again; nothing was written`);
  } catch (error) {
    if (isOfSystem(error)) throw new ConfigError(`${path} cannot be written: ${error.message}`);
    throw error;
  }
}

/** All of the file or nothing: it is renamed into its place, unless `mayReplace` says no then. Returns whether it was. */
function write(path: string, text: string, mayReplace: () => boolean): boolean {
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    if (!mayReplace()) return false;
    renameSync(temporary, path);
    return true;
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
