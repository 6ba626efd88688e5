/** The command line of `npm start -- --lambda`. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../shared/platform/message-of.ts';
import type { LocalEnvironment } from './function-environment.ts';
import { LIVE_URL, type ProviderMode, settings } from './provider-choice.ts';
import { sourceNames } from './simulated/protocols.ts';

const storeFolder = join(import.meta.dirname, '../.local/store');
const liveHost = new URL(LIVE_URL).host;

export const usage = `Usage: npm start -- --lambda [options]

The emulator, for development: serves the synthesized template as AWS does, each function in a process of its own, on live data
if the provider responds, else on simulated data. Without --lambda, npm start runs the server, for everyday use.

  --port N         port to listen on (default: PORT, else 3000)
  --live           real prices: ${liveHost}, or ${settings.baseUrl}
  --simulated      simulated prices, without network
  --fault TEXT     a fault of the simulated provider, such as latency=2s, status=503x3 or lie=scaled; of another source
                   with its name in front: ${sourceNames.join(', ')}
  --containers N   the most processes of a function (default 1)
  --freeze         freeze each process between events, as Lambda does
  --store PATH     folder of snapshots and history (default: .local/store; in memory with --fault)
  --no-store       no store: every ticker and chart is fetched from the provider
  --shared         share budget and cache between processes, in a DynamoDB-compatible server
  --chain local    an Ethereum node for the protocol routes (docs/protocols.md); implies --shared
  --inspect [NAME] accept a debugger in all functions, or in one such as marketdata/ticker (CONTRIBUTING.md)
  --watch          rebuild and restart when the sources change
  --no-build       serve the existing build
  --assembly PATH  serve this cloud assembly without building (default: cdk.out)
  --help           print this text

Environment: PORT, NODE_ENV (production requires CLIENT_API_KEY), ${settings.baseUrl}, ${settings.key}, METRICS
Example: npm start -- --lambda --simulated --fault latency=2s
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
    shared: flags.shared ?? chain !== undefined,
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
    throw new UsageError(messageOf(error));
  }
}

function integer(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    throw new UsageError(`${name} must be an integer from ${minimum} to ${maximum}, not "${text}"`);
  }
  return value;
}
