/** The server that one runs oneself: all routes, the page and the jobs in one process, and everything kept in one folder. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { routes as table } from '../functions/routes.ts';
import { callersOf, onlyCallers } from '../http-api/callers.ts';
import { behindProxies } from '../http-api/client.ts';
import type { CorsConfiguration } from '../http-api/cors.ts';
import { createGateway, createGatewayServer, type Handle } from '../http-api/gateway.ts';
import { apiPrefixes, readPage, withPage } from '../http-api/page.ts';
import { routeKeyOf } from '../http-api/route-key.ts';
import type { SimulatedSources } from '../local/simulated/main.ts';
import { lockFolder, openFolder, type ServerFolder } from '../shared/folder/open-folder.ts';
import { crossOrigin } from '../shared/http/cross-origin.ts';
import { withItsSecrets } from '../shared/http/route.ts';
import { parseEnvironment } from '../shared/platform/environment.ts';
import { scheduledRequestsADay } from '../shared/platform/job.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { HOUR_MS } from '../shared/platform/time.ts';
import { PUBLISHED_MANIFEST } from '../shared/registry/manifest.ts';
import { REGISTRY_PREFIX } from '../shared/registry/refresh.ts';
import { answerEvent, handlerOf } from './handlers.ts';
import { withHealth } from './health.ts';
import { Scheduler, serverJobs } from './jobs.ts';
import { putSeeds, useFolderWith } from './simulated.ts';

export interface ServerOptions {
  readonly folder: string;
  /** Addresses to listen on; those of the loopback interface by default. */
  readonly hosts?: readonly string[];
  /** 0: a free one. */
  readonly port?: number;
  /** Whether callers beyond this machine need no key. */
  readonly isOpen?: boolean;
  /** The folder of the built page; none: no page. */
  readonly page?: string | undefined;
  /** The index to begin with; the published one by default. */
  readonly registryPath?: string | undefined;
  /** The simulated sources, if prices are not real. */
  readonly simulation?: SimulatedSources | undefined;
  /** Whether snapshots, quotes and history are kept; otherwise each answer comes from the sources. True by default. */
  readonly keepsPrices?: boolean;
  readonly log?: (line: string) => void;
}

export interface RunningServer {
  /** The first address, without a trailing slash. */
  readonly url: string;
  /** All that it listens on, each with its port. */
  readonly addresses: readonly string[];
  /** Resolves when the first prices are published, or could not be. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

const LOOPBACK = ['127.0.0.1', '::1'];
/** What a request in flight may take to end. */
const CLOSE_MS = 5_000;
/** The name of buckets and tables, which all are in the folder. */
const OWN = 'server';

/**
 * Starts it, and resolves when it answers. Sets what a stack sets for functions in the environment of this process. Throws
 * FolderUnusable, an Error for settings that do not fit each other, and those of the network.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { hosts = LOOPBACK, port = 0, isOpen = false, log = console.error } = options;
  const isPrivate = hosts.every(isLoopback);
  refuseUnsafe(isPrivate, isOpen);
  const closers: (() => unknown)[] = [lockFolder(options.folder)];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const folder = openFolder(options.folder);
    closers.push(() => folder.close());
    await folder.sweep();
    setEnvironment(isPrivate, options);
    useFolderWith(folder, options.simulation);
    if (options.simulation) await putSeeds(folder.objects(''), options.simulation);

    const handle = await handleOf(options, { folder, log });
    const servers: Server[] = [];
    let scheduler: Scheduler | undefined;
    closers.push(() => Promise.all([...servers.map(closeServer), scheduler?.close()]));
    const addresses: string[] = [];
    for (const host of hosts) {
      const server = createGatewayServer(handle);
      const bound = servers[0]?.address();
      const same = typeof bound === 'object' && bound ? bound.port : port;
      if (!(await listenOn(server, host, same, hosts === LOOPBACK && servers.length > 0))) continue;
      servers.push(server);
      addresses.push(urlOf(server));
    }

    scheduler = new Scheduler({
      database: folder.database,
      threadData: { folder: options.folder, simulation: options.simulation },
      environment: parseEnvironment(process.env),
      keepsPrices: options.keepsPrices ?? true,
      log,
    });
    const ready = scheduler.start(
      () => options.registryPath !== undefined || folder.has(REGISTRY_PREFIX + PUBLISHED_MANIFEST),
    );
    // The route that most callers want first.
    void handlerOf('marketdata/ticker').catch((error: unknown) => log(messageOf(error)));
    const [url = ''] = addresses;
    return { url: url.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//127.0.0.1'), addresses, ready, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function isLoopback(host: string): boolean {
  return host === '::1' || host.startsWith('127.');
}

function urlOf(server: Server): string {
  const bound = server.address();
  if (typeof bound !== 'object' || !bound) return '';
  return `http://${isIP(bound.address) === 6 ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/** Beyond this machine a server without keys has to be asked for. Throws an Error that says how. */
function refuseUnsafe(isPrivate: boolean, isOpen: boolean): void {
  if (process.env.ORIGIN_SECRET)
    throw new Error(
      'ORIGIN_SECRET is for a deployment behind CloudFront: unset it, or callers could name themselves',
    );
  if (isPrivate || isOpen || process.env.NODE_ENV === 'production') return;
  throw new Error(
    'Beyond this machine, callers need a key: set NODE_ENV=production and CLIENT_API_KEY, or start with --open for everybody in your network',
  );
}

/** What a stack sets for its functions. */
function setEnvironment(
  isPrivate: boolean,
  { registryPath, simulation, keepsPrices = true }: ServerOptions,
): void {
  const { env } = process;
  Object.assign(env, simulation?.environment, {
    ...{ REGISTRY_BUCKET: OWN, SHARED_TABLE: OWN, KEYS_TABLE: OWN, METRICS: 'off' },
    ...(keepsPrices && { SNAPSHOT_BUCKET: OWN, HISTORY_BUCKET: OWN, SOURCES_BUCKET: OWN }),
    REGISTRY_PATH: registryPath ?? join(import.meta.dirname, 'no-registry'),
    // On this machine all callers are one, who may use every share.
    UPSTREAM_CLIENT_PERCENT: env.UPSTREAM_CLIENT_PERCENT || (isPrivate ? '100' : '10'),
    NODE_ENV: env.NODE_ENV || 'development',
  });
  env.UPSTREAM_SCHEDULED_DAILY = String(scheduledRequestsADay(serverJobs, parseEnvironment(env)));
}

interface Serving {
  readonly folder: ServerFolder;
  readonly log: (line: string) => void;
}

async function handleOf(options: ServerOptions, { folder, log }: Serving): Promise<Handle> {
  const isProduction = process.env.NODE_ENV === 'production';
  // As on a stage, a route is there once its secrets are.
  const routes = withItsSecrets(table, (name) => Boolean(process.env[name]));
  const { TRUST_PROXY: proxies } = process.env;
  const callers = callersOf(process.env, undefined);
  const api = createGateway({
    template: {
      routes: routes.map((route) => ({
        key: routeKeyOf(route),
        functionId: route.name,
        timeoutMs: route.timeoutSeconds * 1000,
      })),
      cors: callers.origins.length > 0 ? corsOf(callers.origins) : undefined,
    },
    check: () => [], // the emulator and the tests do that
    ...(proxies && { clientOf: behindProxies(proxies) }),
    log,
    invoke: async (name, event, timeoutMs) => ({
      kind: 'answer',
      result: await answerEvent(name, event, { timeoutMs, log }),
    }),
  });
  const served =
    options.page === undefined ? api : withPage(await readPage(options.page), apiPrefixes(table), api);
  // With keys, a page that reaches this machine by a name of its own has none.
  const checked = isProduction ? served : onlyCallers(callers, served, { passesAddresses: options.isOpen });
  return withHealth(folder, options.simulation !== undefined, checked);
}

function corsOf(origins: readonly string[]): CorsConfiguration {
  const { methods, allowedHeaders, exposedHeaders } = crossOrigin(table);
  return {
    AllowOrigins: origins,
    AllowMethods: methods,
    AllowHeaders: allowedHeaders,
    ExposeHeaders: exposedHeaders,
    MaxAge: HOUR_MS / 1000,
  };
}

/** False if that is optional and there is no such address on this machine. */
async function listenOn(server: Server, host: string, port: number, isOptional: boolean): Promise<boolean> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return true;
  } catch (error) {
    const isAbsent =
      error instanceof Error && 'code' in error && /EADDRNOTAVAIL|EAFNOSUPPORT/.test(String(error.code));
    if (isOptional && isAbsent) return false;
    throw error;
  }
}

/** Requests in flight have some seconds. */
async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await promise.finally(() => clearTimeout(timer));
}
