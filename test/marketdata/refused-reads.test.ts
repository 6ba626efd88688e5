import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { type Loopback, startLoopback } from '../pipeline/loopback.ts';

/** S3's responses without an object, as functions that may list names receive them. */
const missing = [404, 'NoSuchKey'] as const;
const refused = [403, 'AccessDenied'] as const;
let answer: readonly [status: number, code: string];
let s3: Loopback;

beforeEach(async () => {
  s3 = await startLoopback((_request, response) => {
    const [status, code] = answer;
    response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
  });
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.resetModules();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await s3.close();
});

const settings = parseEnvironment({ SNAPSHOT_BUCKET: 'bucket', HISTORY_BUCKET: 'bucket' });
const coin = { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', rank: 1 };

describe.each<[string, () => Promise<unknown>]>([
  [
    'an object that routes read whole',
    async () => {
      const { heldObject } = await import('../../shared/platform/held-object.ts');
      const times = { readMs: 2_000, heldMs: 1_000, missingMs: 1_000 };
      return heldObject({ prefix: 'snapshot/', name: 'rates.v1', open: (bytes) => bytes, ...times })(
        'bucket',
      );
    },
  ],
  [
    'the tail',
    async () => (await import('../../shared/marketdata/store/tail.ts')).tailTicker(settings, coin),
  ],
  [
    'a coin’s object',
    async () => {
      const { coinCandlesOf } = await import('../../shared/marketdata/store/coin-objects.ts');
      const stored = await coinCandlesOf(settings)
        .read(coin.id)
        .catch(() => coinCandlesOf(settings).peek(coin.id));
      return stored.series('24h');
    },
  ],
])('%s', (_what, read) => {
  async function failures(): Promise<unknown> {
    expect(await read()).toBeUndefined();
    const { takeMetrics } = await import('../../shared/platform/metrics.ts');
    return JSON.parse(takeMetrics('n') ?? '{}').SharedStoreFailures;
  }

  it('that does not exist is none, and no failure', async () => {
    answer = missing;
    expect(await failures()).toBeUndefined();
  });

  it('that S3 refuses to read is none, and a failure that is counted', async () => {
    answer = refused;
    expect(await failures()).toBe(1);
  });
});
