/** How many stored objects the most expensive request of each route reads in a new container. */
import { describe, expect, it, vi } from 'vitest';
import type { LambdaHandler } from '../shared/http/endpoint.ts';
import { coinOf, HOUR_MS, NOW, rowOf, useBatchWorld } from './batch/world.ts';
import { call, type TestRequest } from './pipeline/event.ts';

const DAY_MS = 24 * HOUR_MS;
const listed = Array.from({ length: 300 }, (_, index) => `listed-${index}`);
/** Priced by their contracts, so that each has a row of its own to be read. */
const tokens = Array.from({ length: 300 }, (_, index) => `token-${index}`);
const instants = (stepMs: number) =>
  Array.from({ length: 100 }, (_, index) => new Date(NOW - index * stepMs).toISOString()).join(',');

const world = useBatchWorld();

type Load = () => Promise<{ readonly handler: LambdaHandler }>;
interface Worst {
  readonly what: string;
  readonly load: Load;
  readonly asked: TestRequest;
  readonly reads: number;
}

const get = (query: string, id?: string): TestRequest => ({ query, ...(id && { pathParameters: { id } }) });
const price: Load = () => import('../functions/marketdata/price/handler.ts');
const ohlcv: Load = () => import('../functions/marketdata/ohlcv/handler.ts');
const worst: readonly Worst[] = [
  {
    what: 'ticker of a token',
    load: () => import('../functions/marketdata/ticker/handler.ts'),
    asked: get('', 'token-1'),
    reads: 2,
  },
  {
    what: 'tickers of 100 tokens',
    load: () => import('../functions/marketdata/tickers/handler.ts'),
    asked: get(`ids=${tokens.slice(0, 100)}`),
    reads: 101,
  },
  {
    what: 'overview',
    load: () => import('../functions/marketdata/overview/handler.ts'),
    asked: get(''),
    reads: 0,
  },
  {
    what: 'sparklines of 100 tokens',
    load: () => import('../functions/marketdata/sparklines/handler.ts'),
    asked: get(`ids=${tokens.slice(0, 100)}`),
    reads: 200,
  },
  {
    what: 'ohlcv, 366 hours in bitcoin',
    load: ohlcv,
    asked: get('interval=1h&limit=366&quote=btc', 'token-1'),
    // Where nothing is stored, each year is looked into for the last price that is known.
    reads: 40,
  },
  {
    what: 'price, 100 instants of a month',
    load: price,
    asked: get(`at=${instants(8 * HOUR_MS)}`, 'token-1'),
    // 40 once tables are held (test/history/clocks.test.ts); here those of three days that may not be merged come first.
    reads: 44,
  },
  {
    what: 'price, 100 instants of ten years',
    load: price,
    asked: get(`at=${instants(37 * DAY_MS)}&within=31536000`, 'token-1'),
    // Of each year, month and unmerged day the table, none of which is held yet.
    reads: 48,
  },
  {
    what: 'convert between two tokens',
    load: () => import('../functions/marketdata/convert/handler.ts'),
    asked: get('amount=1&from=token-1&to=token-2'),
    reads: 3,
  },
  {
    what: 'valuation of 200 tokens',
    load: () => import('../functions/marketdata/valuation/handler.ts'),
    asked: {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ holdings: tokens.slice(0, 200).map((id) => ({ id, amount: '1' })) }),
    },
    reads: 201,
  },
  {
    what: 'rates',
    load: () => import('../functions/marketdata/rates/handler.ts'),
    asked: get(''),
    reads: 0,
  },
];

describe('the most expensive request to a container that has just started', () => {
  it.each(worst)('reads at most $reads objects: $what', async ({ load, asked, reads }) => {
    const { putRegistry, putSnapshot, putTail, s3 } = world();
    vi.stubEnv('HISTORY_BUCKET', 'bucket');
    vi.stubEnv('METRICS', 'off');
    await putRegistry([...listed, ...tokens, 'btc-bitcoin'].map((id) => coinOf(id)));
    putSnapshot([...listed, 'btc-bitcoin'].map((id, index) => rowOf(id, { rank: index + 1 })));
    putTail(Object.fromEntries(tokens.map((id) => [id, 1])));
    const { handler } = await load();
    s3.requests.length = 0;

    await call(handler, asked);

    expect(s3.requests.length).toBeLessThanOrEqual(reads);
  });
});
