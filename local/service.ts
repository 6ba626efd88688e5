/** The local service: the synthesized template behind a gateway, each function in processes of its own. */
import { domains } from '../functions/domains.ts';
import { routes as routeTable } from '../functions/routes.ts';
import { callersOf, onlyCallers } from '../http-api/callers.ts';
import { createGateway, createGatewayServer, type Handle } from '../http-api/gateway.ts';
import { apiPrefixes, readPage, withPage } from '../http-api/page.ts';
import { type CheckedRoute, createResponseCheck } from '../http-api/response-check.ts';
import { routeKeyOf } from '../http-api/route-key.ts';
import { chains } from '../shared/chains.ts';
import type { LocalShared } from './dynamodb-table.ts';
import type { LocalChain } from './evm/index.ts';
import { functionEnvironment, type LocalEnvironment, type RouteNeeds } from './function-environment.ts';
import { FunctionPool } from './function-pool.ts';
import { INSPECTED_SECONDS, type Inspected, inspectArgs, inspectedFunctions } from './inspect.ts';
import { listen } from './loopback.ts';
import { asJson, type ProcessOutcome } from './payload.ts';
import { cloudAssembly, prepareFor } from './prepare.ts';
import { type ChosenProvider, chooseProvider, type ProviderChoice, settings } from './provider-choice.ts';
import { type StandIns, startStandIns } from './stand-ins.ts';
import { type LocalStore, looksForStore, needsOf, type StoreOptions, startLocalStore } from './store.ts';
import { runStoreJobs, storeJobsOf } from './store-jobs.ts';
import { readTemplate, type ServiceTemplate } from './template.ts';
import { Workspace } from './workspace.ts';

export interface LocalServiceOptions {
  /** Variables of this machine that functions may see, under the template's and routes' names; none by default. */
  readonly env?: LocalEnvironment;
  /** 0, the default, picks a free port. */
  readonly port?: number;
  readonly provider?: ProviderChoice;
  /** The most processes of a function at once; 1 by default. */
  readonly containers?: number;
  /** Start a small S3, in memory by default, and publish the ticker snapshot in it now and at every interval. */
  readonly store?: boolean | StoreOptions | undefined;
  /** Freeze each process between events. */
  readonly freeze?: boolean;
  /** A function's process without an event for this long ends; five minutes by default, for tests. */
  readonly idleMs?: number;
  /** Give the functions the template's coordination table, in a real server; without it, instances share nothing. */
  readonly shared?: boolean;
  /**
   * Start an Ethereum node for the protocol routes, as the chain `local`, and stand-ins for the APIs whose keys are not
   * in `env`; implies `shared`, which one of the routes needs.
   */
  readonly chain?: 'local';
  /** Let the functions with this name accept a debugger; all for an empty one. Disables time limits. */
  readonly inspect?: string;
  /** Build and synthesize first; otherwise the existing output is served. */
  readonly build?: boolean;
  /** Arguments for the Node of every function's process. */
  readonly execArgv?: readonly string[];
  /** Print nothing, not even the functions' output. */
  readonly quiet?: boolean;
  /** Receives every line instead of stderr. */
  readonly log?: (line: string) => void;
  /** The cloud assembly to serve; `cdk.out` by default. */
  readonly assembly?: string;
  /** The folder of the built web page to serve with the API; none by default. */
  readonly page?: string;
  /** The route table: response schemas to check, and the variables that each route names. */
  readonly routes?: readonly (CheckedRoute & RouteNeeds)[];
}

export interface LocalService {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly template: ServiceTemplate;
  readonly provider: ChosenProvider;
  /** The table that the functions share; undefined unless requested. */
  readonly shared: LocalShared | undefined;
  /** The S3 with snapshot and history; undefined unless requested, or if no function uses it. */
  readonly store: LocalStore | undefined;
  /** The chain `local`; undefined unless requested. */
  readonly chain: LocalChain | undefined;
  /** Stand-ins started with the chain; undefined without one. */
  readonly standIns: StandIns | undefined;
  /** The functions with their current processes. */
  readonly functions: readonly { readonly name: string; readonly pids: number[] }[];
  /** The functions that accept a debugger. */
  readonly inspected: readonly Inspected[];
  /** Ends every process and removes the copies. */
  close(): Promise<void>;
}

/** On Lambda, too, an idle process ends after some minutes. */
const IDLE_MS = 5 * 60_000;

/**
 * Starts the service, and returns when it responds. A function's process starts with its first event; those that accept
 * a debugger start at once.
 *
 * @example
 * const service = await startLocalService({ provider: { mode: 'simulated' }, quiet: true });
 * await fetch(`${service.url}/api/marketdata/ticker/btc-bitcoin`);
 * await service.close();
 */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const { env = {}, routes = routeTable, assembly = cloudAssembly, inspect } = options;
  const log = options.log ?? (options.quiet ? () => {} : (line: string) => console.error(line));
  const cleanUps: (() => unknown)[] = [];
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= runInReverse(cleanUps);
    return closing;
  };
  /** Everything started so far ends with the service. */
  const owned = <T extends { close(): Promise<unknown> } | undefined>(started: T): T => {
    cleanUps.push(() => started?.close());
    return started;
  };

  try {
    // The port comes first: a conflict shows at once, and early requests wait instead of being refused.
    const gateway = Promise.withResolvers<Handle>();
    gateway.promise.catch(() => {});
    const server = createGatewayServer(async (...request) => (await gateway.promise)(...request));
    const url = await listen(server, options.port);
    cleanUps.push(() => server.close().closeAllConnections());

    const storeOptions = options.store === true ? {} : options.store || undefined;
    const provider = await chooseProvider(options.provider ?? {}, env);
    owned(provider.simulated);
    if (options.build) await prepareFor(provider.kind, env, log, options);
    const template = readTemplate(assembly);
    const inspected = inspect === undefined ? [] : await inspectedFunctions(template.functions, inspect);
    const { rpcUrlSecret } = chains.local;
    if (options.chain && !template.functions.some(({ environment }) => rpcUrlSecret in environment)) {
      throw new Error('What is synthesized has no protocol routes: npm run synth -- -c stage=local');
    }
    const workspace = await Workspace.create();
    cleanUps.push(() => workspace.remove());

    const hasTable = options.shared ?? options.chain !== undefined;
    const shared = owned(hasTable ? await startTables(template) : undefined);
    const hasStore = storeOptions && template.functions.some(looksForStore);
    const store = owned(hasStore ? await startLocalStore(storeOptions, provider, env) : undefined);
    const chain = owned(options.chain && (await startChain()));
    const standIns = owned(options.chain && (await startStandIns(domains, env)));
    const local = {
      ...env,
      ...store?.environment,
      ...chain?.environment,
      ...standIns?.environment,
      ...provider.simulated?.environment,
      [settings.baseUrl]: provider.url,
    };

    const pools = new Map<string, FunctionPool>();
    const functions = () => [...pools.values()];
    const servers = [shared?.dynamoDb.pid, chain?.pid].filter((pid) => pid !== undefined);
    const guard = () => workspace.guard([...servers, ...functions().flatMap(({ pids }) => pids)]);
    cleanUps.push(() => Promise.all(functions().map((pool) => pool.close())));
    for (const fn of template.functions) {
      const keys = template.routes.filter(({ functionId }) => functionId === fn.id).map(({ key }) => key);
      const isJob = keys.length === 0;
      const own = routes.filter((route) => keys.includes(routeKeyOf(route)));
      const needs = [...own, ...needsOf(fn, isJob, store)];
      const environment = { ...functionEnvironment(fn, needs, local), ...shared?.environmentOf(fn) };
      const debugged = inspected.find(({ name }) => name === fn.name);
      const limited = debugged ? { ...fn, timeoutSeconds: INSPECTED_SECONDS } : fn;
      const pool = new FunctionPool({
        ...{ name: fn.name, prepare: () => workspace.prepare(limited, environment), log, onChange: guard },
        ...{ containers: options.containers ?? 1, freeze: options.freeze ?? false },
        // The next run of a job is minutes away. A debugger would lose its process.
        idleMs: debugged ? Infinity : isJob ? 0 : (options.idleMs ?? IDLE_MS),
        execArgv: [...(options.execArgv ?? []), ...(debugged ? inspectArgs(debugged.port) : [])],
      });
      pools.set(fn.id, pool);
      if (debugged) await pool.warm();
    }

    const invoke = async (id: string, event: string, timeoutMs: number): Promise<ProcessOutcome> => {
      const limit = inspected.length > 0 ? INSPECTED_SECONDS * 1000 : timeoutMs;
      return (await pools.get(id)?.invoke(event, limit)) ?? { kind: 'error' };
    };
    const stopJobs = await runStoreJobs(storeJobsOf(template.functions, store?.publishes ?? []), {
      invoke: ({ id, timeoutSeconds }) => invoke(id, '{}', timeoutSeconds * 1000),
      ...{ local, log },
      snapshotDueAt: store?.snapshotDueAt() ?? 0,
    });
    cleanUps.push(stopJobs);
    const callers = callersOf(env, template.cors);
    const cors = template.cors && { ...template.cors, AllowOrigins: callers.origins };
    const check = createResponseCheck(routes);
    const api = createGateway({ template: { ...template, cors }, check, log, invoke: asJson(invoke, log) });
    const served =
      options.page === undefined ? api : withPage(await readPage(options.page), apiPrefixes(routes), api);
    gateway.resolve(onlyCallers(callers, served));
    store?.prepare();
    return {
      url,
      template,
      provider,
      shared,
      store,
      chain,
      standIns,
      functions: functions(),
      inspected,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Loaded only when used, like the chain. */
async function startTables({ tables }: ServiceTemplate): Promise<LocalShared> {
  const { startShared } = await import('./dynamodb-table.ts');
  return startShared(tables);
}

async function startChain(): Promise<LocalChain> {
  const { startLocalChain } = await import('./evm/index.ts');
  return startLocalChain();
}

async function runInReverse(cleanUps: (() => unknown)[]): Promise<void> {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}
