/** The command line of `npm start`. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { LocalEnvironment } from './function-environment.ts';
import { LIVE_URL, type ProviderMode, settings } from './provider-choice.ts';
import { sourceNames } from './simulated/protocols.ts';
import type { StoreOptions } from './store.ts';

const storeFolder = join(import.meta.dirname, '../.local/store');
const liveHost = new URL(LIVE_URL).host;

export const usage = `Usage: npm start -- [options]

Builds, synthesizes, and serves the synthesized template on this machine.

  --port N         port to listen on (default: PORT, else 3000)
  --live           real prices: ${liveHost}, or ${settings.baseUrl}
  --simulated      simulated prices, without network; exchanges are simulated then too
                   neither: live if it answers within two seconds, else simulated
  --fault TEXT     a fault of the simulated provider, such as latency=2s, status=503x3 or lie=scaled; with a name and
                   a colon before it that of whoever is named: ${sourceNames.join(', ')};
                   may be given once for each
  --containers N   processes that a function may have at once (default 1)
  --freeze         stop each process between events, as Lambda freezes it
  --store PATH     folder of the store, with one folder for live and one for simulated prices: a snapshot of all
                   tickers every ten minutes, and the history that charts come from (default: .local/store; with
                   --fault in memory)
  --no-store       without it: each ticker and each chart is asked for by itself
  --shared         one upstream budget and one cache for all processes, in a DynamoDB-compatible server
  --chain local    an Ethereum node for the protocol routes (docs/protocols.md); with --shared
  --inspect [NAME] take a debugger in every function, or in one such as marketdata/ticker; with source maps and
                   without time limits (CONTRIBUTING.md)
  --watch          rebuild and restart when functions/, shared/ or client/ change
  --no-build       serve what is built and synthesized
  --assembly PATH  serve this cloud assembly, and build nothing (default: cdk.out)
  --help           this text

Environment: PORT, NODE_ENV (development unless set; production needs CLIENT_API_KEY), CLIENT_API_KEY,
${settings.baseUrl}, ${settings.key}, METRICS (on: one line a request in development too)

Examples:
  npm start
  npm start -- --simulated --fault latency=2s
  npm start -- --shared --containers 4
  npm start -- --chain local
  npm start -- --watch --inspect marketdata/ticker
  NODE_ENV=production CLIENT_API_KEY=secret npm start -- --port 8080
`;

export interface Options {
  readonly port: number;
  readonly provider: ProviderMode;
  /** Texts, each for the provider or, with a name in front, for another source. */
  readonly faults: readonly string[];
  readonly containers: number;
  readonly freeze: boolean;
  readonly shared: boolean;
  /** Undefined: without one. */
  readonly store: StoreOptions | undefined;
  readonly chain: 'local' | undefined;
  /** A function's name, empty for all. */
  readonly inspect: string | undefined;
  readonly watch: boolean;
  readonly build: boolean;
  readonly assembly: string | undefined;
  readonly help: boolean;
}

/** The caller asked for something that does not exist: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads flags and PORT, which must be usable (settings.ts). Throws UsageError. */
export function readOptions(args: readonly string[], env: LocalEnvironment): Options {
  const { live, simulated, fault: faults = [], ...flags } = parse(args);
  if (live && (simulated || faults.length > 0)) {
    throw new UsageError(`--live and ${simulated ? '--simulated' : '--fault'} exclude each other`);
  }
  if (flags.inspect !== undefined && (flags.freeze || flags.containers !== undefined)) {
    throw new UsageError(`--inspect and ${flags.freeze ? '--freeze' : '--containers'} exclude each other`);
  }
  if (flags.store !== undefined && flags['no-store']) {
    throw new UsageError('--store and --no-store exclude each other');
  }
  return {
    port: flags.port === undefined ? Number(env.PORT || 3000) : integer('--port', flags.port, 0, 65_535),
    // Only simulated ones have faults.
    provider: live ? 'live' : simulated || faults.length > 0 ? 'simulated' : 'auto',
    faults,
    containers: integer('--containers', flags.containers ?? '1', 1, 100),
    freeze: flags.freeze ?? false,
    shared: flags.shared ?? flags.chain !== undefined,
    store: flags['no-store'] ? undefined : { folder: folderOf(flags.store, faults), history: true },
    chain: chainOf(flags.chain),
    inspect: flags.inspect,
    watch: flags.watch ?? false,
    build: !flags['no-build'] && flags.assembly === undefined,
    assembly: flags.assembly,
    help: flags.help ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: args.map((arg, index) =>
        arg === '--inspect' && !hasValue(args[index + 1]) ? '--inspect=' : arg,
      ),
      options: {
        port: { type: 'string' },
        live: { type: 'boolean' },
        simulated: { type: 'boolean' },
        fault: { type: 'string', multiple: true },
        containers: { type: 'string' },
        freeze: { type: 'boolean' },
        shared: { type: 'boolean' },
        store: { type: 'string' },
        'no-store': { type: 'boolean' },
        chain: { type: 'string' },
        inspect: { type: 'string' },
        watch: { type: 'boolean' },
        'no-build': { type: 'boolean' },
        assembly: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Whether an argument is the value of the one before it. */
function hasValue(arg: string | undefined): boolean {
  return arg !== undefined && !arg.startsWith('-');
}

/** Undefined, in memory, for those who lie: what it said must not be there the next time. */
function folderOf(asked: string | undefined, faults: readonly string[]): string | undefined {
  if (asked !== undefined) return resolve(asked);
  return faults.length === 0 ? storeFolder : undefined;
}

function chainOf(name: string | undefined): 'local' | undefined {
  if (name === undefined || name === 'local') return name;
  throw new UsageError(`--chain must be local, not "${name}": others are reached through their URLs`);
}

function integer(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    throw new UsageError(`${name} must be an integer from ${minimum} to ${maximum}, not "${text}"`);
  }
  return value;
}
