import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Loopback, startLoopback } from '../../../../test/pipeline/loopback.ts';

const KEY = 'key-of-the-client';
const madeAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const headers = { 'x-data-quality': 'exact', 'x-data-time': madeAgo(60) };
const old = madeAgo(3660);

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const succeeded = (data: unknown): Answer => ({ headers, body: JSON.stringify({ success: true, data }) });
const ticker = (price: unknown) => succeeded({ id: 'btc-bitcoin', quotes: { USD: { price } } });
const candles = (...closes: unknown[]) => succeeded({ data: closes.map((close) => ({ close })) });

describe('the probe, against a real server', () => {
  let server: Loopback;
  let answers: Record<'ticker' | 'ohlcv', Answer>;
  let asked: { url: string | undefined; headers: IncomingHttpHeaders }[];

  beforeEach(async () => {
    answers = { ticker: ticker(64_000), ohlcv: candles(63_000, 64_000) };
    asked = [];
    server = await startLoopback(({ url, headers }, response) => {
      asked.push({ url, headers });
      const { status = 200, headers: given, body } = answers[url?.includes('ticker') ? 'ticker' : 'ohlcv'];
      response.writeHead(status, given).end(body);
    });
    vi.stubEnv('PAGE_URL', `${server.url}/`);
    vi.stubEnv('CLIENT_API_KEY', KEY);
    vi.resetModules(); // a cold start
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });

  async function run() {
    const { handler } = await import('./handler.ts');
    const { faults } = await handler();
    const { takeMetrics } = await import('../../../../shared/platform/metrics.ts');
    const { ProbePassed, ProbeFailed } = JSON.parse(takeMetrics('n') ?? '');
    return { faults, passed: ProbePassed, failed: ProbeFailed };
  }

  it('requests a price, which may be stale but not old, and candles, with the client’s key', async () => {
    answers.ticker = {
      ...ticker(64_000),
      headers: { 'x-data-quality': 'stale', 'x-data-time': madeAgo(3500) },
    };
    expect(await run()).toEqual({ faults: [], passed: 2, failed: 0 });
    expect(asked.map(({ url }) => url).sort()).toEqual([
      '/api/marketdata/ohlcv/btc-bitcoin?limit=2',
      '/api/marketdata/ticker/btc-bitcoin',
    ]);
    for (const request of asked) {
      expect(request.headers).toMatchObject({
        'x-api-key': KEY,
        'user-agent': expect.stringMatching(/^marketdata-probe\//),
      });
    }
  });

  it('sends another origin each time, so that no cached response is used', async () => {
    const origins = () => new Set(asked.map(({ headers: { origin } }) => origin));
    await expect
      .poll(async () => {
        await run();
        return origins().size;
      })
      .toBeGreaterThan(1);
    for (const origin of origins()) expect(origin).toMatch(/^https:\/\/probe-\d+\.invalid$/);
  });

  it.each<[string, Answer, string]>([
    ['a failure', { status: 502, body: '{"success":false,"error":"no"}' }, 'answered 502: no'],
    ['an answer without success', { headers, body: '{"data":{}}' }, 'answered 200 without success'],
    ['no price', ticker(null), 'has the prices [null]'],
    ['a price in words', ticker('64000'), 'answered 200, and price is not a number'],
    ['no quality', { ...ticker(1), headers: { 'x-data-time': madeAgo(1) } }, 'is of quality unknown'],
    ['no time', { ...ticker(1), headers: { 'x-data-quality': 'exact' } }, 'was made at unknown'],
    [
      'an old price',
      { ...ticker(1), headers: { ...headers, 'x-data-time': old } },
      `was made at ${old}, more`,
    ],
    ['a redirect', { status: 302, headers: { location: '/' }, body: '' }, 'answered 302, and '],
  ])('counts %s as a failure, and names it', async (_what, answer, fault) => {
    answers.ticker = answer;

    const { faults, ...counts } = await run();
    expect(faults).toEqual([expect.stringContaining(`/api/marketdata/ticker/btc-bitcoin ${fault}`)]);
    expect(counts).toEqual({ passed: 1, failed: 1 });
  });

  it.each([[candles()], [candles(63_000, null)]])(
    'counts no candles, or one without a price, as a failure',
    async (answer) => {
      answers.ohlcv = answer;
      expect(await run()).toMatchObject({ failed: 1 });
    },
  );

  it('counts an unreachable service as two failures', async () => {
    vi.stubEnv('PAGE_URL', 'http://127.0.0.1:9/');

    expect(await run()).toMatchObject({
      faults: [expect.stringContaining('gave no answer'), expect.stringContaining('gave no answer')],
      failed: 2,
    });
  });

  it('repeats no secret', async () => {
    answers.ticker = { status: 401, body: JSON.stringify({ error: `wrong key ${KEY}` }) };

    expect((await run()).faults).toEqual([expect.stringContaining('wrong key [redacted]')]);
  });
});
