/** The command line of `npm start`. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasDynamoDb } from './dynamodb.ts';
import type { LocalEnvironment } from './function-environment.ts';
import { LIVE_URL, type ProviderMode, settings } from './provider-choice.ts';
import { sourceNames } from './simulated/protocols.ts';

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
  --shared         one upstream budget and one cache for all processes, and the keys of named clients, in a
                   DynamoDB-compatible server; on in production where that server is installed
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

/** The caller requested something that does not exist: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Options = ReturnType<typeof readOptions>;

/** Parses flags and PORT, and validates settings (settings.ts). Throws UsageError. */
export function readOptions(args: readonly string[], env: LocalEnvironment) {
  const { live, simulated, fault: faults = [], chain, assembly, ...flags } = parse(args);
  const excluding = (one: string, ...others: (string | false | undefined)[]) => {
    const other = others.find(Boolean);
    if (other) throw new UsageError(`${one} and ${other} exclude each other`);
  };
  if (live) excluding('--live', simulated && '--simulated', faults.length > 0 && '--fault');
  if (flags.inspect !== undefined)
    excluding('--inspect', flags.freeze && '--freeze', flags.containers !== undefined && '--containers');
  if (flags.store !== undefined) excluding('--store', flags['no-store'] && '--no-store');
  if (chain !== undefined && chain !== 'local')
    throw new UsageError(`--chain must be local, not "${chain}": others are reached through their URLs`);
  // Data from faulty sources must not survive to the next run.
  const folder = flags.store ? resolve(flags.store) : faults.length === 0 ? storeFolder : undefined;
  return {
    port: flags.port === undefined ? Number(env.PORT || 3000) : integer('--port', flags.port, 0, 65_535),
    // Only simulated sources have faults.
    mode: modeOf(live, simulated || faults.length > 0),
    /** Texts, each for the provider or, with a name in front, for another source. */
    faults,
    containers: integer('--containers', flags.containers ?? '1', 1, 100),
    freeze: flags.freeze ?? false,
    // In production, clients have names and the server holds their keys.
    shared: flags.shared ?? (chain !== undefined || (env.NODE_ENV === 'production' && hasDynamoDb())),
    store: flags['no-store'] ? undefined : { folder, history: true },
    chain: chain && ('local' as const),
    /** A function's name; empty for all. */
    inspect: flags.inspect,
    watch: flags.watch ?? false,
    build: !flags['no-build'] && assembly === undefined,
    assembly: assembly && resolve(assembly),
    help: flags.help ?? false,
  };
}

function modeOf(live: boolean | undefined, isSimulated: boolean | undefined): ProviderMode {
  return live ? 'live' : isSimulated ? 'simulated' : 'auto';
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      // A name may follow it.
      args: args.map((arg, index) =>
        arg === '--inspect' && !/^[^-]/.test(args[index + 1] ?? '') ? '--inspect=' : arg,
      ),
      options: {
        ...{ port: text, fault: { ...text, multiple: true }, containers: text, store: text, chain: text },
        ...{ inspect: text, assembly: text, live: flag, simulated: flag, freeze: flag, shared: flag },
        ...{ 'no-store': flag, watch: flag, 'no-build': flag, help: { ...flag, short: 'h' } },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function integer(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    throw new UsageError(`${name} must be an integer from ${minimum} to ${maximum}, not "${text}"`);
  }
  return value;
}
