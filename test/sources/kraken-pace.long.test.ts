/** Three jobs at once, each in a container of its own, at an exchange that refuses a second request within a second. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { defaultCoins } from '../../local/simulated/market.ts';
import { startWorld, type World } from './world.ts';

const TABLE = 'pace';
/** A second, less what two requests that start a second apart may be late on their way. */
const APART_MS = 850;
const LIMIT_MS = 180_000;

let world: World;
afterEach(() => world.close());

interface Strict {
  /** The paths and milliseconds of all requests, and how many were refused. */
  readonly asked: { readonly path: string; readonly at: number }[];
  refused: number;
  isStrict: boolean;
}

async function startStrict(url: string): Promise<Strict> {
  const strict: Strict = { asked: [], refused: 0, isStrict: false };
  const server = createServer(async ({ url: path = '' }, response) => {
    const at = performance.now();
    const last = strict.asked.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    strict.asked.push({ path, at });
    response.setHeader('content-type', 'application/json');
    if (strict.isStrict && at - last < APART_MS) {
      strict.refused += 1;
      response.end(JSON.stringify({ error: ['EGeneral:Too many requests'] }));
      return;
    }
    response.end(await (await fetch(`${url}${path}`)).text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('KRAKEN_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`); // it listens on TCP
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return strict;
}

/** A job in a container of its own, which shares no more than the table with the others. */
async function containerOf<T>(
  load: () => Promise<{ readonly handler: () => Promise<T> }>,
): Promise<() => Promise<T>> {
  vi.resetModules();
  return (await load()).handler;
}

it(
  'is never asked twice within a second, and the quotes do not wait for the others',
  async () => {
    world = await startWorld({ listed: 8, coins: defaultCoins.slice(0, 16), now: () => Date.now() });
    vi.useRealTimers();
    const dynamoDb = await startDynamoDb();
    onTestFinished(() => dynamoDb.close());
    await createKeyedTable(dynamoDb, TABLE);
    const strict = await startStrict(world.sources.kraken.url);
    vi.stubEnv('CANDLE_SOURCES', 'kraken');
    await world.list();
    const setUp = [
      () => import('../../functions/marketdata/jobs/snapshot/handler.ts'),
      () => import('../../functions/marketdata/jobs/markets/handler.ts'),
    ];
    for (const load of setUp) await (await containerOf<unknown>(load))();

    for (const [name, value] of Object.entries({
      ...dynamoDb.environment,
      SHARED_TABLE: TABLE,
      HISTORY_BUCKET: 'bucket',
    }))
      vi.stubEnv(name, value);
    vi.doUnmock('../../shared/coordination/source-limits.ts');
    const candles = await containerOf(() => import('../../functions/marketdata/jobs/candles/handler.ts'));
    const past = await containerOf(() => import('../../functions/marketdata/jobs/past/handler.ts'));
    const quotes = await containerOf(() => import('../../functions/marketdata/jobs/quotes/handler.ts'));
    Object.assign(strict, { isStrict: true, refused: 0 });
    strict.asked.length = 0;
    const background = Promise.all([candles(), past()]);
    const waits: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      const startedAt = performance.now();
      expect(await quotes()).toMatchObject({ coins: 8, problems: {} });
      waits.push(performance.now() - startedAt);
    }
    const [running] = await background;

    expect(running).toMatchObject({ coins: 8 });
    expect(strict.asked.length).toBeGreaterThan(20);
    expect(strict.asked.filter(({ path }) => path.includes('Ticker'))).toHaveLength(3);
    expect(strict.refused).toBe(0);
    expect(Math.max(...waits)).toBeLessThan(15_000);
  },
  LIMIT_MS,
);
