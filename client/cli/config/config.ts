import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { writeWhole } from '../../../shared/platform/whole-file.ts';
import {
  checkCurrency,
  holdingsIn,
  isObject,
  type PortfolioFile,
  watchlistIn,
  wrong,
} from '../../commands/portfolio-file.ts';
import { messageOf } from '../../sdk/failure.ts';
import type { Variables } from '../terminal.ts';

/** A user's settings. Fields unknown to this version are kept and written back. */
export interface Config extends Partial<PortfolioFile> {
  /** The currency of commands without `--currency`. */
  readonly currency?: string;
  /** The service's address. */
  readonly url?: string;
}

/** A setting that cannot be read, stored or understood, in words for the user. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Why the file holds no API key. */
export const noKeyReason =
  'an API key is not kept in this file, which is exported and copied: set it in MARKETDATA_API_KEY';

const UUID_END = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MINUTE_MS = 60_000;

const checks: Readonly<Record<keyof Config, (value: unknown) => void>> = {
  watchlist: watchlistIn,
  holdings: (value) => holdingsIn(value),
  currency: (value) => checkCurrency(value, 'currency'),
  url: (value) => {
    if (typeof value !== 'string' || !URL.canParse(value) || !/^https?:/i.test(value))
      throw wrong('url', 'must be an http:// or https:// address', value);
  },
};

export const configKeys = Object.keys(checks) as readonly (keyof Config)[];

/** Validates the value as settings. Throws ConfigError, which names the wrong field. */
export function configOf(value: unknown): Config {
  try {
    if (!isObject(value)) throw wrong('the file', 'must be an object', value);
    const secret = Object.keys(value).find((name) => /^(api[-_]?key|key|token|secret|password)$/i.test(name));
    if (secret !== undefined) throw new Error(`"${secret}": ${noKeyReason}`);
    for (const key of configKeys) if (value[key] !== undefined) checks[key](value[key]);
    return value; // each of its fields has been checked
  } catch (error) {
    throw new ConfigError(messageOf(error));
  }
}

/** The file of a user's settings (XDG Base Directory Specification). */
export function configPath({ XDG_CONFIG_HOME, HOME }: Variables): string {
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'marketdata', 'config.json');
}

/** The settings; empty without a file. Throws ConfigError if the file cannot be read or parsed. */
export function readConfig(env: Variables): Config {
  return configAt(configPath(env));
}

/**
 * Applies `change` to the settings in the file, writes the result and returns it. The file is written whole or not at
 * all: it is renamed into place. An unreadable file is left alone. Throws ConfigError, and what `change` throws.
 */
export function updateConfig(env: Variables, change: (config: Config) => Config): Config {
  const path = realPath(configPath(env));
  const next = configOf(change(configAt(path)));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    removeUnfinished(path);
    const text = `${JSON.stringify(next, null, 2)}\n`;
    writeWhole(path, text, `${path}.${randomUUID()}`, { mode: 0o600, flag: 'wx', flush: true });
    return next;
  } catch (error) {
    throw new ConfigError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

/** Removes what killed programs have not finished. One that still runs needs less than a minute. */
function removeUnfinished(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const file = join(dirname(path), name);
    if (!name.startsWith(`${basename(path)}.`) || !UUID_END.test(name)) continue;
    const { mtimeMs = Date.now() } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > MINUTE_MS) rmSync(file, { force: true });
  }
}

function configAt(path: string): Config {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}`);
  }
  try {
    return configOf(JSON.parse(text));
  } catch (error) {
    throw new ConfigError(`${path} is not understood: ${messageOf(error)}`);
  }
}

/** The target of a symbolic link, so that the link survives. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
