import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, inject, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { openSamples, type Samples } from '../../shared/marketdata/store/samples.ts';
import { openTail, type TailRow } from '../../shared/marketdata/store/tail.ts';
import { MINUTE_MS } from '../../shared/platform/time.ts';
import { counted } from '../counted.ts';
import { type Loopback, respondJson, startLoopback } from '../pipeline/loopback.ts';
import { startStubbedS3 } from '../s3.ts';
import { snapshotOf, tickerOf } from '../snapshot/tickers.ts';
import { withoutPace } from '../unhurried.ts';

export const NOW = Date.UTC(2026, 8, 18, 4, 12);
export const BUCKET = 'bucket';
export const TAIL = `/${BUCKET}/snapshot/tail.v2`;
const CONTRACTS = `/${BUCKET}/sources/contracts.v1`;

export const addressOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}`;

/** A token’s price at the source of token prices; times in milliseconds since the epoch. */
interface TokenQuote {
  readonly price: number;
  readonly at?: number;
  readonly confidence?: number;
  /** Days of prices before the price now. */
  readonly days?: number;
}

export interface TokenWorld {
  readonly s3: S3Server;
  readonly source: Loopback;
  /** What that answers to a request. */
  answerTo(url: string): unknown;
  /** The quotes by token, as `chain:address`. */
  quoted: Record<string, TokenQuote>;
  /** Stores which contracts a coin has. */
  putContracts(contracts: Readonly<Record<string, Readonly<Record<string, string>>>>): void;
  putSnapshot(ids: readonly string[]): void;
  runAt(now: number): Promise<RunResult | undefined>;
  /** Runs the job of the past; returns what came of tokens. */
  runPast(): Promise<PastResult['tokens']>;
  /** Runs at this time after two runs that brought about the same: only then coins that are new have a price. */
  thirdRunAt(now: number): Promise<RunResult | undefined>;
  tail(): Readonly<Record<string, TailRow>>;
  samples(slot: string): Samples | undefined;
  /** The provider’s price of each coin, in USD; it refuses requests for others. */
  owned: Record<string, number>;
  /** Coins that the provider no longer knows. */
  readonly gone: Set<string>;
  /** Requested paths of the provider. */
  readonly asked: readonly string[];
  /** What was counted since the last time. */
  metrics(): Promise<Record<string, unknown>>;
}

type RunResult = Awaited<
  ReturnType<typeof import('../../functions/marketdata/jobs/tokens/handler.ts')['handler']>
>;

type PastResult = Awaited<
  ReturnType<typeof import('../../functions/marketdata/jobs/past/handler.ts')['handler']>
>;

/** The symbols of the simulated provider that are not the first three letters of the id. */
const symbols: Readonly<Record<string, string>> = { '战旗-战旗': '战旗' };

const symbolOf = (id: string) => symbols[id] ?? id.slice(0, 3).toUpperCase();

/** Starts it anew for each test of a file: a registry of these coins, S3, and a source of token prices. */
export function useTokenWorld(
  ids: readonly string[],
  inactive: readonly string[] = [],
  pairs?: ReadonlyMap<string, string>,
): () => TokenWorld {
  let world: TokenWorld | undefined;
  let stop = async () => {};
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    const s3 = await startStubbedS3();
    const registry = mkdtempSync(join(inject('runFolder'), 'tokens-registry-'));
    const coins = [...ids, ...inactive].map((id, index) => ({
      id,
      name: `Name of ${id}`,
      symbol: symbolOf(id),
      rank: index + 1,
      is_new: false,
      is_active: !inactive.includes(id),
      type: 'token' as const,
    }));
    await writeRegistry(registry, buildRegistry(coins, { source: 'simulated', pairs }));
    const source = await startLoopback((request, response) =>
      respondJson(world?.answerTo(request.url ?? ''))(request, response),
    );
    const provider = await startLoopback((request, response) => {
      const [, , of = '', last = of] = (request.url?.split('?')[0] ?? '').split('/');
      if (world?.gone.has(decodeURIComponent(of)))
        return respondJson({ error: 'id not found' }, 404)(request, response);
      const id = decodeURIComponent(last);
      const price = world?.owned[id];
      const answer =
        price === undefined
          ? respondJson({}, 429)
          : respondJson({ ...tickerOf(id, price, Date.now() - MINUTE_MS), symbol: symbolOf(id) });
      answer(request, response);
    });
    stop = () => provider.close();
    vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
    vi.stubEnv('COINPAPRIKA_API_KEY', undefined);
    for (const name of ['SNAPSHOT_BUCKET', 'HISTORY_BUCKET', 'SOURCES_BUCKET']) vi.stubEnv(name, BUCKET);
    vi.stubEnv('NODE_ENV', 'test');
    vi.stubEnv('REGISTRY_PATH', registry);
    vi.stubEnv('DEFILLAMA_BASE_URL', source.url);
    vi.resetModules(); // a cold start
    withoutPace();
    world = {
      s3,
      source,
      answerTo(url) {
        return answerTo(url, this.quoted);
      },
      quoted: {},
      owned: {},
      gone: new Set(),
      asked: provider.requests,
      putContracts: (chains) => {
        s3.objects.set(CONTRACTS, Buffer.from(JSON.stringify({ version: 1, chains })));
      },
      putSnapshot: (listed) => {
        s3.objects.set(
          `/${BUCKET}/snapshot/tickers.v4`,
          Buffer.from(snapshotOf(listed, { takenAt: Date.now() })),
        );
      },
      async runAt(now) {
        vi.setSystemTime(now);
        const { handler } = await import('../../functions/marketdata/jobs/tokens/handler.ts');
        return handler();
      },
      async runPast() {
        const { handler } = await import('../../functions/marketdata/jobs/past/handler.ts');
        return (await handler()).tokens;
      },
      async thirdRunAt(now) {
        for (const before of [20, 10]) await this.runAt(now - before * MINUTE_MS);
        return this.runAt(now);
      },
      tail: () => {
        const rows = openTail(s3.objects.get(TAIL) ?? Buffer.of()).rows();
        return Object.fromEntries(Array.from(rows, (row) => [row.id, row]));
      },
      samples: (slot) => {
        const bytes = s3.objects.get(`/${BUCKET}/history/samples.v4/${slot}`);
        return bytes && openSamples(bytes);
      },
      metrics: counted,
    };
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await stop();
    await world?.source.close();
    await world?.s3.close();
  });
  return () => {
    if (!world) throw new Error('There is a world in tests alone');
    return world;
  };
}

function answerTo(url: string, quoted: Readonly<Record<string, TokenQuote>>): unknown {
  const { pathname, searchParams } = new URL(url, 'http://source');
  const asked = decodeURIComponent(pathname.split('/').at(-1) ?? '').split(',');
  const start = Number(searchParams.get('start'));
  const coins = asked.flatMap((token): [string, object][] => {
    const known = quoted[token];
    if (!known) return [];
    const { price, at = Date.now() - MINUTE_MS, confidence = 0.99, days = 0 } = known;
    if (!pathname.startsWith('/chart/')) return [[token, { price, timestamp: at / 1000, confidence }]];
    const span = Number(searchParams.get('span'));
    const prices = Array.from({ length: days }, (_, index) => ({
      timestamp: start + (span - days + index) * 86_400 - 7,
      price: price * (1 + (days - 1 - index) / 100),
    }));
    return [[token, { confidence, prices }]];
  });
  return { coins: Object.fromEntries(coins) };
}
