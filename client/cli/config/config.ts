import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '../../sdk/failure.ts';
import { decimalOf } from '../holdings.ts';
import type { Variables } from '../terminal.ts';

/** What is held of one coin. */
export interface Holding {
  readonly id: string;
  /** A decimal in digits, so that nothing is rounded: `0.5`. */
  readonly amount: string;
  /** What all of it cost, in `currency`: a decimal as `amount`. */
  readonly cost?: string;
  /** A code of three letters; left out, US dollars. */
  readonly currency?: string;
}

/** The settings of a user. Fields that this version does not know ride along in the objects, and are written again. */
export interface Config {
  /** Ids of coins, in the order of the list. */
  readonly watchlist?: readonly string[];
  readonly holdings?: readonly Holding[];
  /** Of commands without `--currency`. */
  readonly currency?: string;
  /** The service's address. */
  readonly url?: string;
}

/** A setting that cannot be read, kept or understood, in words for the user. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** More would not fit a screen that anybody reads; it keeps a slip of a script from becoming a thousand requests. */
const MAX_COINS = 500;
const currencyPattern = /^[a-z]{3}$/i;
const secretPattern = /^(?:api[-_]?key|key|token|secret|password)$/i;

/** Why no key of a service is kept in the file. */
export const noKeyReason =
  'an API key is not kept in this file, which is exported and copied: set it in MARKETDATA_API_KEY';

/** The value as settings. Throws ConfigError, which names the field that is wrong. */
export function configOf(value: unknown): Config {
  const object = objectOf(value, 'the file');
  const secret = Object.keys(object).find((name) => secretPattern.test(name));
  if (secret !== undefined) throw new ConfigError(`"${secret}": ${noKeyReason}`);
  for (const [name, check] of Object.entries(checks)) {
    if (object[name] !== undefined) check(object[name], name);
  }
  return object as Config; // each of its fields was checked
}

type Check = (value: unknown, where: string) => void;

const checks: Readonly<Record<keyof Config, Check>> = {
  watchlist: (value, where) => {
    const ids = listOf(value, where);
    for (const [index, id] of ids.entries()) checkId(id, `${where}[${index}]`);
    checkOnce(ids, where);
  },
  holdings: (value, where) => {
    const holdings = listOf(value, where).map((item, index) => {
      const holding = objectOf(item, `${where}[${index}]`);
      checkHolding(holding, `${where}[${index}]`);
      return holding;
    });
    checkOnce(
      holdings.map(({ id }) => id),
      where,
    );
  },
  currency: checkCurrency,
  url: (value, where) => {
    if (typeof value !== 'string' || !URL.canParse(value) || !/^https?:/i.test(value))
      fail(where, 'must be an http:// or https:// address', value);
  },
};

export const configKeys = Object.keys(checks) as readonly (keyof Config)[];

function checkHolding({ id, amount, cost, currency }: Readonly<Record<string, unknown>>, where: string) {
  checkId(id, `${where}.id`);
  const held = typeof amount === 'string' ? decimalOf(amount) : undefined;
  if (!held || held.units <= 0n)
    fail(`${where}.amount`, 'must be a decimal above 0 in quotes, such as "0.5"', amount);
  if (cost !== undefined && (typeof cost !== 'string' || !decimalOf(cost)))
    fail(`${where}.cost`, 'must be a decimal in quotes, such as "30000"', cost);
  if (currency !== undefined) checkCurrency(currency, `${where}.currency`);
}

function checkId(value: unknown, where: string): void {
  if (typeof value !== 'string' || !/^[\p{L}\p{N}._$-]{1,200}$/u.test(value))
    fail(where, 'must be the id of a coin, such as "btc-bitcoin"', value);
}

function checkCurrency(value: unknown, where: string): void {
  if (typeof value !== 'string' || !currencyPattern.test(value))
    fail(where, 'must be the three letters of a currency, such as "eur"', value);
}

function checkOnce(ids: readonly unknown[], where: string): void {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new ConfigError(`"${where}" has ${JSON.stringify(twice)} twice`);
}

function listOf(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) fail(where, 'must be a list', value);
  if (value.length > MAX_COINS)
    throw new ConfigError(`"${where}" has ${value.length} items; at most ${MAX_COINS}`);
  return value;
}

function objectOf(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail(where, 'must be an object', value);
  return value as Readonly<Record<string, unknown>>; // an object that is no list
}

function fail(where: string, wanted: string, value: unknown): never {
  const told = JSON.stringify(value) ?? 'nothing';
  throw new ConfigError(`"${where}" ${wanted}, not ${told.length > 60 ? `${told.slice(0, 59)}…` : told}`);
}

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
