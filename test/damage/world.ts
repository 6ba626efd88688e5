/** A service against simulated sources, in one process: what lies in its bucket was stored by its own jobs. */

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { startSimulated } from '../../local/simulated/index.ts';
import { defaultCoins } from '../../local/simulated/market.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { parseEntries } from '../../shared/registry/entries.ts';
import { counted } from '../counted.ts';
import { call } from '../pipeline/event.ts';
import { startLoopback } from '../pipeline/loopback.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';

/** The last hour of a day: its hours, and after midnight its days, are soon rolled up. */
const EVENING = Date.parse('2026-11-20T23:08:30Z');
const BUCKET = 'bucket';
/** Coins that the provider lists with prices; the tokens below have prices only by their contracts. */
const listed = defaultCoins.filter(({ type }) => type === 'coin').slice(0, 8);
const unlisted = defaultCoins.filter(({ type }) => type === 'token').slice(0, 10);

const jobs = {
  registry: () => import('../../functions/marketdata/jobs/registry/handler.ts'),
  snapshot: () => import('../../functions/marketdata/jobs/snapshot/handler.ts'),
  markets: () => import('../../functions/marketdata/jobs/markets/handler.ts'),
  quotes: () => import('../../functions/marketdata/jobs/quotes/handler.ts'),
  contracts: () => import('../../functions/marketdata/jobs/contracts/handler.ts'),
  tokens: () => import('../../functions/marketdata/jobs/tokens/handler.ts'),
  candles: () => import('../../functions/marketdata/jobs/candles/handler.ts'),
  'daily-rates': () => import('../../functions/marketdata/jobs/daily-rates/handler.ts'),
  'roll-up': () => import('../../functions/marketdata/jobs/roll-up/handler.ts'),
  past: () => import('../../functions/marketdata/jobs/past/handler.ts'),
};
type JobName = keyof typeof jobs;
export const jobNames = Object.keys(jobs) as JobName[]; // its own keys
const routes = {
  ohlcv: () => import('../../functions/marketdata/ohlcv/handler.ts'),
  ticker: () => import('../../functions/marketdata/ticker/handler.ts'),
};
const everyTenMinutes: readonly JobName[] = ['snapshot', 'markets', 'quotes', 'candles', 'tokens'];

export interface Service {
  readonly s3: S3Server;
  /** `<method> <path>` of each request to the provider since the start. */
  readonly upstream: readonly string[];
  /** Runs a job; what it throws is its result. */
  run(job: JobName): Promise<unknown>;
  /** Runs each of these jobs once, a day later; all by default. */
  runAll(names?: readonly JobName[]): Promise<Readonly<Record<string, unknown>>>;
  /** What was counted since the last time. */
  counted(): Promise<Readonly<Record<string, number>>>;
  /** A route's answer from a new container; what that read before the request is forgotten. */
  ask(route: keyof typeof routes, id: string, query?: string): ReturnType<typeof call>;
  /** A copy of all that is stored, by path. */
  stored(): Map<string, Buffer>;
  restore(objects: ReadonlyMap<string, Buffer>): void;
  close(): Promise<void>;
}

/** A provider that lists the tickers of few of its coins, and of none while it is silent. */
async function startFront(whole: string, lister: string) {
  const state = { isSilent: false };
  const front = await startLoopback(async ({ url = '' }, response) => {
    const isList = /^\/v1\/tickers(?:\?|$)/.test(url);
    if (isList && state.isSilent) return void response.writeHead(503).end();
    const answer = await fetch(url.replace('/v1', isList ? lister : whole));
    const type = answer.headers.get('content-type') ?? 'text/plain';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  });
  return Object.assign(state, front);
}

/** The bucket after an evening and a midnight, and the time then; the same for all tests of a file. */
let lived: { readonly objects: ReadonlyMap<string, Buffer>; readonly now: number } | undefined;

/** Starts it as it is when all its jobs have run from an evening until after midnight. */
export async function startService(options: { readonly versioned?: boolean } = {}): Promise<Service> {
  vi.useFakeTimers({ toFake: ['Date'], now: EVENING });
  const simulated = await startSimulated({ coins: [...listed, ...unlisted] });
  const { provider } = simulated;
  const lister = (await startSimulated({ coins: listed })).provider;
  const front = await startFront(provider.url, lister.url);
  const s3 = await startStubbedS3(options);
  const registry = mkdtempSync(join(inject('runFolder'), 'damage-registry-'));
  const coins: unknown = await (await fetch(`${provider.url}/coins`)).json();
  await writeRegistry(registry, buildRegistry(parseEntries(coins), { source: 'simulated' }));
  const environment = {
    ...simulated.environment,
    ...Object.fromEntries(
      ['REGISTRY', 'SNAPSHOT', 'HISTORY', 'SOURCES'].map((one) => [`${one}_BUCKET`, BUCKET]),
    ),
    NODE_ENV: 'test',
    REGISTRY_PATH: registry,
    COINPAPRIKA_BASE_URL: `${front.url}/v1`,
    COINPAPRIKA_API_KEY: undefined,
    SHARED_TABLE: undefined,
    UPSTREAM_TIMEOUT_MS: '8000',
    UPSTREAM_MONTHLY_BUDGET: '9999999',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  withoutPace();
  vi.resetModules();

  async function run(job: JobName): Promise<unknown> {
    const { handler } = await jobs[job]();
    return handler().catch((error: unknown) => error);
  }
  const moveBy = (ms: number) => vi.setSystemTime(Date.now() + ms);

  async function live(): Promise<void> {
    for (const job of ['registry', 'contracts', 'daily-rates'] as const) await run(job);
    for (let time = 0; time < 8; time += 1) {
      for (const job of everyTenMinutes) await run(job);
      if (time % 3 === 1) await run('roll-up');
      if (time === 2) await run('past');
      moveBy(10 * MINUTE_MS);
    }
    await run('roll-up');
    await run('past');
    // An outage of two intervals, for which exchanges stand in.
    front.isSilent = true;
    for (let time = 0; time < 3; time += 1) {
      moveBy(10 * MINUTE_MS);
      // What markets said minutes ago stands in for nothing.
      await run('quotes');
      for (const job of everyTenMinutes) await run(job);
    }
    front.isSilent = false;
  }

  const service: Service = {
    s3,
    upstream: front.requests,
    run,
    async runAll(names = jobNames) {
      moveBy(24 * HOUR_MS);
      const results: Record<string, unknown> = {};
      for (const job of names) results[job] = await run(job);
      return results;
    },
    async counted() {
      const { _aws, ...counts } = await counted();
      return counts;
    },
    async ask(route, id, query = '') {
      vi.resetModules();
      const { handler } = await routes[route]();
      s3.requests.length = 0;
      const path = `/api/marketdata/${route}/${encodeURIComponent(id)}`;
      return call(handler, { path, pathParameters: { id }, query });
    },
    stored: () => new Map([...s3.objects].map(([path, bytes]) => [path, Buffer.from(bytes)])),
    restore(objects) {
      for (const path of [...s3.objects.keys()]) if (!objects.has(path)) s3.objects.delete(path);
      for (const [path, bytes] of objects) s3.objects.set(path, Buffer.from(bytes));
    },
    async close() {
      vi.useRealTimers();
      vi.unstubAllEnvs();
      await Promise.all([front.close(), simulated.close(), lister.close(), s3.close()]);
    },
  };
  if (lived) {
    service.restore(lived.objects);
    vi.setSystemTime(lived.now);
  } else {
    await live();
    lived = { objects: service.stored(), now: Date.now() };
  }
  await service.counted();
  return service;
}
