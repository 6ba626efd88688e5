import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { route as valuation } from '../../functions/marketdata/valuation/route.ts';
import { exampleBody } from '../../scripts/generate/examples.ts';
import { post } from './post.ts';
import { dataOf, expectFailure, KEY, type Service, startService } from './service.ts';

const CONVERT = '/api/marketdata/convert';

describe('conversion and valuation over HTTP', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ store: true });
  });
  afterAll(() => service.local.close());

  const value = (body: unknown) => post(service.local.url + valuation.path, body);

  it('agree with the ticker and with each other, without a request to the provider', async () => {
    const { price } = dataOf<{ quotes: { USD: { price: number } } }>(
      await service.get('/api/marketdata/ticker/btc-bitcoin'),
    ).quotes.USD;
    const calls = service.provider.calls.total;

    const one = dataOf(await service.get(`${CONVERT}?amount=1&from=btc&to=usd`));
    const all = dataOf(await value({ holdings: [{ symbol: 'btc', amount: '1' }] }));

    expect([one.rate, one.result, all.total]).toEqual(Array(3).fill(String(price)));
    expect(service.provider.calls.total).toBe(calls);
  });

  it('refuse what cannot be in the words of all routes', async () => {
    expectFailure(await service.get(CONVERT), 400, 'Missing parameter: amount');
    expectFailure(await value({}), 400, 'Missing required parameter: holdings');
    expectFailure(await value({ text: 'x'.repeat(65_536) }), 413, /the limit is 65536 bytes$/);
  });

  it('are asked for by a command of docs/api.md', async () => {
    const reference = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
    const [command = ''] = /^curl \S+\/valuation .*-d .+$/m.exec(reference) ?? [];
    const local = command.replace('http://localhost:3000', service.local.url);

    const { stdout } = await promisify(execFile)('sh', ['-c', local]);

    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { isComplete: true } });
  });
});

it('asks for the key in production before it looks at holdings', async () => {
  const service = await startService({ store: true, env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY } });
  try {
    const url = service.local.url + valuation.path;
    expectFailure(await post(url, 'nonsense'), 401, 'Unauthorized');
    const answer = await post(url, exampleBody(valuation), { headers: { 'x-api-key': KEY } });
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  } finally {
    await service.local.close();
  }
});
