import type { Api } from '../commands/api.ts';
import { sessionRates } from '../commands/currency/rates.ts';
import type { FailureResult } from '../commands/result.ts';
import { conversionInto, type RunContext } from '../commands/run.ts';
import { sessionTickers } from '../commands/tickers.ts';
import { type CallOptions, createClient } from '../sdk/index.ts';
import { lastSearchOf } from './last-search.ts';
import { shownCommands } from './own-commands.ts';
import { KEY_VARIABLE, type Settings, settingTable } from './settings.ts';
import type { Terminal, Variables } from './terminal.ts';

/** What the commands of one process share: the settings, and what the service told so far. */
export interface Session {
  readonly settings: Settings;
  /** The service's routes, all calls with these options. */
  readonly apiWith: (options: CallOptions) => Api;
  /** The context of a command that `signal` cancels. */
  readonly contextOf: (signal?: AbortSignal) => RunContext;
}

/** Runs a command of the terminal alone with the words behind its name; returns the exit status, or a failure to print. Throws UsageError and ConfigError. */
export type RunOwn = (
  words: readonly string[],
  session: Session,
  terminal: Terminal,
) => number | FailureResult | Promise<number | FailureResult>;

export function createSession(settings: Settings, env: Variables): Session {
  const { baseUrl, apiKey, config } = settings;
  const apiWith = (options: CallOptions) => createClient({ baseUrl, apiKey, ...options }).marketdata;
  const shared = {
    rates: sessionRates(apiWith({}), Date.now),
    tickers: sessionTickers(Date.now),
    lastSearch: lastSearchOf(env, Date.now),
    keySetting: `the environment variable ${KEY_VARIABLE}`,
    hasKey: () => apiKey !== undefined,
    now: Date.now,
    own: { commands: shownCommands.map(([name]) => name), options: Object.keys(settingTable) },
  };
  const usualConversion = async () =>
    config.currency === undefined ? undefined : await conversionInto(config.currency.toUpperCase(), shared);
  return {
    settings,
    apiWith,
    contextOf: (signal) => ({ ...shared, usualConversion, api: apiWith({ signal }) }),
  };
}
