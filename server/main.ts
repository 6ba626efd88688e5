/** The server from the command line, in a process that `start.ts` has set up. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimulatedSources } from '../local/simulated/main.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { wrongUsage } from '../shared/platform/mistyped.ts';
import { onEnd } from '../shared/platform/signals.ts';
import { coinProvider } from '../shared/providers/index.ts';
import { answers, PROBE_SECONDS } from '../shared/providers/probe.ts';
import { MANIFEST_NAME, parseManifest } from '../shared/registry/manifest.ts';
import { type Options, readOptions, refuseUnusableSettings, UsageError, usage } from './options.ts';
import { type RunningServer, startServer } from './server.ts';
import { startSimulation } from './simulated.ts';

type Prices = 'live' | 'simulated' | 'given';

const { settings } = coinProvider;
/** While prices are simulated for want of a network. */
const LOOK_AGAIN_MS = 10_000;
/** As source, and as built. */
const distFolders = [join(import.meta.dirname, '../dist'), join(import.meta.dirname, '..')];

const args = process.argv.slice(2);
/** Of the one who started it; the server adds the addresses of simulated sources. */
const environment = { ...process.env };
const closers: (() => unknown)[] = [];
let port: number | undefined;

async function serve(options: Options): Promise<void> {
  const { mode, faults, folder, keepsPrices, hosts, isOpen } = options;
  const prices = await pricesOf(mode);
  const simulation = prices === 'simulated' ? await startSimulation(faults) : undefined;
  if (simulation) closers.push(() => simulation.close());
  const server = await startServer({
    folder: folder === undefined ? temporaryFolder() : join(folder, nameOf(prices)),
    ...(hosts && { hosts }),
    ...{ port: options.port, isOpen, keepsPrices, simulation: simulation?.sources },
    page: builtIn('web', 'index.html'),
    registryPath: registryOf(prices),
  });
  closers.push(() => server.close());
  console.log(readyText(server, options, prices, simulation?.sources));
  if (prices === 'simulated' && mode === 'auto') lookAgain();
}

/** Live or simulated is a decision: only somebody who reads it on a terminal gets simulated prices without asking. */
async function pricesOf(mode: Options['mode']): Promise<Prices> {
  if (mode === 'simulated') return mode;
  const { env } = process;
  if (env[settings.baseUrl]) return 'given';
  const isWatched = process.stdout.isTTY && env.NODE_ENV !== 'production' && !isOfInit();
  if (mode === 'live' || !isWatched) return 'live';
  return (await answers(coinProvider.endpoint({}).baseUrl, coinProvider)) ? 'live' : 'simulated';
}

/** The first process of a container or its child, which nobody has typed, whatever terminal there is. */
function isOfInit(): boolean {
  return process.pid === 1 || process.ppid === 1;
}

/** Goes on with real prices, in a new process image, when the provider answers. */
function lookAgain(): void {
  const timer = setInterval(async () => {
    if (!(await answers(coinProvider.endpoint({}).baseUrl, coinProvider))) return;
    clearInterval(timer);
    const { execve, execPath, execArgv, argv } = process;
    const next = execve ? 'starting again with real prices' : 'start again for real prices';
    console.error(`\n${coinProvider.title} answers now: ${next}`);
    if (!execve) return; // Windows
    await close();
    execve.call(process, execPath, [execPath, ...execArgv, ...argv.slice(1), '--live'], environment);
  }, LOOK_AGAIN_MS);
}

/** Simulated prices must never be served as live ones, nor one address's as another's. */
function nameOf(prices: Prices): string {
  const { [settings.baseUrl]: url = '' } = process.env;
  return prices === 'given' ? `given-${encodeURIComponent(new URL(url).host)}` : prices;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'marketdata-'));
  closers.unshift(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder of the build that has a file; undefined if it has not. */
function builtIn(name: string, file: string): string | undefined {
  return [join(import.meta.dirname, name), ...distFolders.map((folder) => join(folder, name))].find(
    (folder) => {
      try {
        return readFileSync(join(folder, file)).length > 0;
      } catch {
        return false;
      }
    },
  );
}

/** The built list of coins, if it is of the same kind. */
function registryOf(prices: Prices): string | undefined {
  const folder = builtIn('layers/registry/registry', MANIFEST_NAME);
  if (folder === undefined) return undefined;
  const path = join(folder, MANIFEST_NAME);
  const { source } = parseManifest(path, readFileSync(path, 'utf8'));
  return (source === 'simulated') === (prices === 'simulated') ? folder : undefined;
}

function readyText(
  { url, addresses }: RunningServer,
  { mode, isOpen, folder, faults }: Options,
  prices: Prices,
  simulation: SimulatedSources | undefined,
): string {
  const hasKeys = process.env.NODE_ENV === 'production';
  const own = url.replace('127.0.0.1', 'localhost');
  const reason =
    mode === 'simulated'
      ? ''
      : `; ${coinProvider.title} did not answer within ${PROBE_SECONDS} seconds, and is asked again`;
  const about: Record<string, string> = {
    Prices:
      prices === 'simulated'
        ? `SIMULATED, these are not real prices${reason}`
        : prices === 'live'
          ? `live, ${coinProvider.title}`
          : `${process.env[settings.baseUrl]}, as ${settings.baseUrl} says`,
    ...(simulation && {
      Sources: `simulated: ${[...new Set(Object.values(simulation.environment))].join(', ')}`,
    }),
    ...(faults.length > 0 && { FAULTS: faults.join(', ') }),
    Callers: hasKeys
      ? 'need a key'
      : isOpen
        ? 'NEED NO KEY: whoever reaches these addresses may call'
        : 'need no key',
    Listening: addresses.join(', '),
    Folder: folder === undefined ? 'none: nothing is kept' : folder,
    Page: `${own}/`,
    Try: `curl ${hasKeys ? '-H "x-api-key: $CLIENT_API_KEY" ' : ''}${own}/api/marketdata/ticker/btc-bitcoin`,
  };
  return ['', ...Object.entries(about).map(([name, text]) => `${name.padEnd(10)}${text}`), ''].join('\n');
}

async function close(): Promise<void> {
  for (const closer of closers.splice(0).reverse()) await closer();
}

async function end(): Promise<void> {
  await close();
  process.exit(0);
}

function explain(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return `Port ${port} is in use. Choose another with --port N or PORT=N; --port 0 takes a free one.`;
  return messageOf(error);
}

onEnd(end);
// With --watch, the parent process may be killed.
process.on('disconnect', end);
try {
  const options = readOptions(args, process.env);
  port = options.port;
  if (options.help) console.log(usage);
  else {
    refuseUnusableSettings(process.env);
    await serve(options);
  }
} catch (error) {
  console.error(error instanceof UsageError ? wrongUsage(error, usage) : explain(error));
  await close();
  process.exit(error instanceof UsageError ? 2 : 1);
}
