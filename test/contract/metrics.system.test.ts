import { afterAll, beforeAll, expect, it } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { countNames, valueUnits } from '../../shared/platform/metrics.ts';
import { KEY, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const CANDLES = '/api/marketdata/ohlcv/btc-bitcoin?limit=3';
const headers = { 'x-api-key': KEY, 'user-agent': 'somebody', 'x-forwarded-for': '203.0.113.7' };

let service: Service;
const lines: string[] = [];
beforeAll(async () => {
  const env = { NODE_ENV: 'production', CLIENT_API_KEY: KEY };
  service = await startService({ quiet: false, log: (line) => lines.push(line), env });
});
afterAll(() => service.local.close());

/** The lines that functions printed, once there are as many as expected. */
async function printed(expected: number): Promise<Record<string, unknown>[]> {
  const found = () => lines.flatMap((line) => /^\[\w+\] (\{.*)$/.exec(line)?.[1] ?? []);
  await expect.poll(() => found().length).toBe(expected);
  return found().map((line) => JSON.parse(line));
}

it('each request is one valid line of metrics, without a key, address, coin or parameter', async () => {
  await service.get(TICKER, { headers });
  await service.get(TICKER, { headers });
  await service.get(CANDLES, { headers });
  await service.get(TICKER);
  await service.get(`${TICKER}?secret-parameter=1`, { headers });
  await service.get('/private/path', { headers });

  const metrics = await printed(6);
  for (const line of metrics) {
    const { _aws, route, status, ...numbers } = line as {
      _aws: { Timestamp: number; CloudWatchMetrics: { Metrics: { Name: string }[] }[] };
    } & Record<string, unknown>;
    const declared = _aws.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
    expect(routes.map(({ name }) => name)).toContain(route);
    expect(Math.abs(_aws.Timestamp - Date.now())).toBeLessThan(60_000);
    expect(Object.keys(numbers).sort()).toEqual(declared.sort());
    expect([...countNames, ...Object.keys(valueUnits), 'Requests']).toEqual(expect.arrayContaining(declared));
    for (const value of Object.values(numbers).flat()) expect(value).toEqual(expect.any(Number));
  }
  const of = (name: string, kind: string) =>
    metrics.filter(({ route, status }) => route === name && status === kind);
  const [first, second] = of('marketdata/ticker', '2xx');
  expect(first).toMatchObject({ CacheMisses: 1, UpstreamOk: 1, UpstreamLatency: [expect.any(Number)] });
  expect(second).toMatchObject({ CacheHits: 1 });
  expect(second).not.toHaveProperty('UpstreamOk');
  expect(of('marketdata/ohlcv', '2xx')).toMatchObject([{ DerivedAnswers: 1, ColdStarts: 1, UpstreamOk: 1 }]);
  expect(of('marketdata/ticker', '4xx')).toHaveLength(2);
  expect(of('gateway/default', '4xx')).toHaveLength(1);
  const secrets = [KEY, 'somebody', '203.0.113.7', '127.0.0.1', 'btc-bitcoin', 'secret-parameter', 'private'];
  for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret);
});

it('requests over the limit are counted as such', async () => {
  lines.length = 0;
  for (let n = 0; n < 101; n += 1) await service.get(TICKER, { headers });

  expect((await printed(101)).filter((line) => line.RateLimited === 1)).not.toEqual([]);
});
