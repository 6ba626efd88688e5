/** The command line and the settings of the server. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callerVariables } from '../http-api/callers.ts';
import { notProxies } from '../http-api/client.ts';
import { refuseProblems, settingProblems, type Variable, variables } from '../shared/platform/environment.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { integerBetween } from '../shared/platform/setting-problems.ts';
import { coinProvider } from '../shared/providers/index.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const { settings } = coinProvider;

export const usage = `Usage: npm start -- [options]

The server, for everyday use: one process that serves the API and the page and keeps prices and history in a folder. With --lambda,
npm start runs the emulator, for development on what is deployed. Once built, node dist/server/start.mjs needs no packages.

  --port N         port to listen on (default: PORT, else 3000)
  --host ADDRESS   address to listen on, once for each (default: HOST, else those that only this machine reaches)
  --open           let everybody who reaches those addresses call without a key
  --live           real prices: ${new URL(coinProvider.endpoint({}).baseUrl).host}, or ${settings.baseUrl}
  --simulated      simulated prices, without network
  --fault TEXT     a fault of the simulated provider, such as latency=2s; of another source with its name in front
  --store FOLDER   where prices, history, keys and quota are kept (default: .local/server)
  --no-store       keep nothing: each answer comes from the sources
  --watch          build and start again when the sources change
  --no-build       serve what is built
  --help           print this text

Without --live or --simulated, on a terminal, prices are simulated until the provider answers; elsewhere they are always real.
Environment: PORT, HOST, ALLOWED_HOSTS, CORS_ORIGINS, TRUST_PROXY, NODE_ENV (production requires keys), ${settings.baseUrl}, ${settings.key}
Example: npm start -- --host 0.0.0.0 --open
`;

/** Flags of local/options.ts alone, to say where they are. */
const emulatorFlags = ['--chain', '--containers', '--freeze', '--inspect', '--shared', '--assembly'];

/** The caller requested something that does not exist: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type PriceMode = 'auto' | 'live' | 'simulated';
export type Options = ReturnType<typeof readOptions>;

/** Parses flags, PORT and HOST. Throws UsageError. */
export function readOptions(args: readonly string[], env: Variables) {
  const { live, simulated, fault: faults = [], store, port, host, open, help, ...flags } = parse(args);
  const excluding = (one: string, other: string, isGiven: boolean) => {
    if (isGiven) throw new UsageError(`${one} and ${other} exclude each other`);
  };
  if (live) {
    excluding('--live', '--simulated', simulated ?? false);
    excluding('--live', '--fault', faults.length > 0);
  }
  if (store !== undefined) excluding('--store', '--no-store', flags['no-store'] ?? false);
  const hosts = host ?? env.HOST?.split(',').flatMap((item) => item.trim() || []);
  return {
    port: port === undefined ? Number(env.PORT || 3000) : portIn(port),
    /** Undefined: the loopback interface. */
    hosts: hosts?.length ? hosts.map(addressIn) : undefined,
    isOpen: open ?? false,
    // Only simulated sources have faults.
    mode: (live ? 'live' : simulated || faults.length > 0 ? 'simulated' : 'auto') satisfies PriceMode,
    faults,
    /** Undefined: a temporary one, because data from faulty sources must not survive to the next run. */
    folder:
      flags['no-store'] || (faults.length > 0 && !store) ? undefined : resolve(store ?? '.local/server'),
    keepsPrices: !flags['no-store'],
    help: help ?? false,
  };
}

const ownVariables: Readonly<Record<string, Variable>> = {
  PORT: { description: 'The port to listen on', default: '3000', problem: integerBetween(0, 65_535) },
  ...callerVariables,
  TRUST_PROXY: { description: 'Proxies whose X-Forwarded-For is believed', problem: notProxies },
};

/** Throws a ConfigurationError that lists all invalid settings with the allowed values. */
export function refuseUnusableSettings(env: Variables): void {
  refuseProblems(settingProblems({ ...ownVariables, ...variables }, env));
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ port: text, host: { ...text, multiple: true }, fault: { ...text, multiple: true }, store: text },
        ...{ open: flag, live: flag, simulated: flag, 'no-store': flag, help: { ...flag, short: 'h' } },
      },
    }).values;
  } catch (error) {
    const [flag] = args.filter((arg) => emulatorFlags.includes(arg.replace(/=.*$/, '')));
    if (flag) throw new UsageError(`${flag} is of the emulator: npm start -- --lambda ${flag}`);
    throw new UsageError(messageOf(error));
  }
}

function portIn(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new UsageError(`--port must be an integer from 0 to 65535, not "${text}"`);
  return value;
}

function addressIn(text: string): string {
  if (text === 'localhost') return '127.0.0.1';
  if (isIP(text) === 0)
    throw new UsageError(
      `--host must be an IP address of this machine, or 0.0.0.0 or :: for all of them, not "${text}"`,
    );
  return text;
}
