import { afterEach, beforeEach, expect, it } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { countNames, valueUnits } from '../../shared/platform/metrics.ts';
import { KEY, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const CANDLES = '/api/marketdata/ohlcv/btc-bitcoin?limit=3';
const headers = { 'x-api-key': KEY, 'user-agent': 'somebody', 'x-forwarded-for': '203.0.113.7' };

let service: Service;
let lines: string[];

async function start(env: Record<string, string>): Promise<void> {
  lines = [];
  service = await startService({ quiet: false, log: (line) => lines.push(line), env });
}

beforeEach(() => start({ NODE_ENV: 'production', CLIENT_API_KEY: KEY }));
afterEach(() => service.local.close());

/** The lines that functions printed, once there are as many as expected. */
async function printed(expected: number): Promise<Record<string, unknown>[]> {
  const found = () => lines.flatMap((line) => /^\[\w+\] (\{.*)$/.exec(line)?.[1] ?? []);
  await expect.poll(() => found().length).toBe(expected);
  return found().map((line) => JSON.parse(line));
}

it('prints exactly one valid line of metrics for each request, whatever becomes of it', async () => {
  await service.get(TICKER, { headers });
  await service.get(TICKER, { headers });
  await service.get(CANDLES, { headers });
  await service.get(TICKER);
  await service.get('/api/marketdata/ticker/no-such-coin', { headers });
  await service.get('/private/path', { headers });

  const metrics = await printed(6);
  for (const line of metrics) {
    const { _aws, route, status, ...numbers } = line as {
      _aws: { Timestamp: number; CloudWatchMetrics: { Metrics: { Name: string }[] }[] };
    } & Record<string, unknown>;
    const declared = _aws.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
    expect(routes.map(({ name }) => name)).toContain(route);
    expect(['2xx', '4xx', '5xx']).toContain(status);
    expect(Math.abs(_aws.Timestamp - Date.now())).toBeLessThan(60_000);
    expect(Object.keys(numbers).sort()).toEqual(declared.sort());
    expect([...countNames, ...Object.keys(valueUnits), 'Requests']).toEqual(expect.arrayContaining(declared));
    for (const value of Object.values(numbers).flat()) expect(value).toEqual(expect.any(Number));
  }
  expect(metrics.map(({ route, status }) => [route, status])).toEqual(
    expect.arrayContaining([
      ['marketdata/ticker', '2xx'],
      ['marketdata/ticker', '4xx'],
      ['marketdata/ohlcv', '2xx'],
      ['gateway/default', '4xx'],
    ]),
  );
});

it('counts what the cache and the provider did', async () => {
  await service.get(TICKER, { headers });
  await service.get(TICKER, { headers });

  const [first, second] = await printed(2);
  expect(first).toMatchObject({
    ColdStarts: 1,
    CacheMisses: 1,
    UpstreamOk: 1,
    UpstreamLatency: [expect.any(Number)],
  });
  expect(second).toMatchObject({ CacheHits: 1 });
  expect(second).not.toHaveProperty('UpstreamOk');
});

it('counts derived answers and requests over the limit', async () => {
  await service.get(CANDLES, { headers });
  const [derived] = await printed(1); // before the lines of another process
  for (let n = 0; n < 101; n += 1) await service.get(TICKER, { headers });

  const metrics = await printed(102);
  expect(derived).toMatchObject({ DerivedAnswers: 1, UpstreamOk: 1 });
  expect(metrics.filter((line) => line.RateLimited === 1)).toHaveLength(1);
});

it('tells no key, address, coin or parameter', async () => {
  await service.get(`${TICKER}?secret-parameter=1`, { headers });
  await service.get('/private/path', { headers });

  await printed(2);
  for (const told of [
    KEY,
    'somebody',
    '203.0.113.7',
    '127.0.0.1',
    'btc-bitcoin',
    'secret-parameter',
    'private',
  ])
    expect(lines.join('\n')).not.toContain(told);
});

it('is silent in development unless asked', async () => {
  await service.local.close();
  await start({});
  await service.get(TICKER);
  await service.local.close();
  const silent = [...lines];
  await start({ METRICS: 'on' });
  await service.get(TICKER);

  await printed(1);
  expect(silent.filter((line) => line.includes('_aws'))).toEqual([]);
});
