import { sessionRates } from '../commands/currency.ts';
import type { Api } from '../commands/provenance.ts';
import { conversionInto, type RunContext } from '../commands/run.ts';
import { sessionTickers } from '../commands/tickers.ts';
import { type CallOptions, createClient } from '../sdk/index.ts';
import { KEY_VARIABLE, type Settings } from './settings.ts';
import { lastSearchOf } from './state.ts';
import type { Variables } from './terminal.ts';

/** State shared by the commands of one process: data received from the service, and the settings of the running command. */
export interface Session {
  readonly settings: Settings;
  /** The client; every call uses these options. */
  readonly apiWith: (options: CallOptions) => Api;
  /** The context of a command that `signal` cancels. */
  readonly contextOf: (signal?: AbortSignal) => RunContext;
  readonly shared: Omit<RunContext, 'api' | 'usualConversion'>;
}

/** `former` is the previous command's session: its data is reused while the service stays the same. */
export function createSession(settings: Settings, env: Variables, former?: Session): Session {
  const { baseUrl, apiKey, config } = settings;
  const apiWith = (options: CallOptions) => createClient({ baseUrl, apiKey, ...options }).marketdata;
  const shared = former?.settings.baseUrl === baseUrl ? former.shared : sharedBy(apiWith({}), apiKey, env);
  const usualConversion = async () =>
    config.currency === undefined ? undefined : await conversionInto(config.currency.toUpperCase(), shared);
  return {
    settings,
    apiWith,
    shared,
    contextOf: (signal) => ({ ...shared, usualConversion, api: apiWith({ signal }) }),
  };
}

function sharedBy(api: Api, apiKey: string | undefined, env: Variables): Session['shared'] {
  return {
    rates: sessionRates(api, Date.now),
    tickers: sessionTickers(Date.now),
    lastSearch: lastSearchOf(env, Date.now),
    keySetting: `the environment variable ${KEY_VARIABLE}`,
    hasKey: () => apiKey !== undefined,
    now: Date.now,
  };
}
