import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint, type LambdaHandler } from '../../shared/http/endpoint.ts';
import { isLong } from '../setup/long.ts';
import { call, type TestRequest } from './event.ts';
import { coinsRoute, rpcRoute, swapRoute } from './routes.ts';

const numRuns = isLong ? 500 : 60;
const documented = [200, 400, 401, 413, 429];
const transaction = { to: '0x', data: '0x', value: '0', gasLimit: '1' };

beforeEach(() => vi.stubEnv('X_API_KEY', 'secret'));
afterEach(() => vi.unstubAllEnvs());

async function expectEnvelope(handler: LambdaHandler, asked: TestRequest): Promise<void> {
  const { status, headers, body } = await call(handler, asked);
  expect(documented).toContain(status);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'ratelimit-limit': expect.stringMatching(/^\d+$/),
    'ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'ratelimit-reset': expect.stringMatching(/^\d+$/),
  });
  expect(body).toEqual(
    status === 200
      ? { success: true, data: expect.anything() }
      : { success: false, error: expect.stringMatching(/\S/) },
  );
}

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webQueryParameters());
const name = fc.oneof(fc.constantFrom('q', 'limit', 'interval', 'active', 'share', '__proto__'), fc.string());
const query = fc.oneof(
  text,
  fc
    .array(fc.tuple(name, text), { maxLength: 5 })
    .map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join('&')),
);
const segment = fc.oneof(text, fc.webSegment());
const headers = fc.dictionary(
  fc.oneof(fc.constantFrom('x-api-key', 'X-Api-Key', 'content-type', '__proto__'), fc.string()),
  fc.string({ unit: 'binary' }),
);
const field = fc.oneof(fc.jsonValue(), fc.constantFrom('0xa', '1', 0.5, null));
const fields = fc.record(
  { fromToken: field, toToken: field, amount: field, slippage: field, hops: field, options: field },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fields.map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 16_000, maxLength: 17_000 }),
);
const sourceIp = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string());

describe('whatever a caller sends', () => {
  it('gets an envelope with a documented status to any path and query', async () => {
    const handler = endpoint(coinsRoute, (input) => input);
    await fc.assert(
      fc.asyncProperty(query, segment, segment, sourceIp, (query, chain, id, sourceIp) =>
        expectEnvelope(handler, { query, pathParameters: { chain, id }, sourceIp }),
      ),
      { numRuns },
    );
  });

  it('gets an envelope with a documented status to any body', async () => {
    const handler = endpoint(swapRoute, () => transaction);
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), sourceIp, (body, isBase64Encoded, sourceIp) =>
        expectEnvelope(handler, { method: 'POST', body, isBase64Encoded, sourceIp }),
      ),
      { numRuns },
    );
  });

  it('gets an envelope, and never the data, to any headers without the key', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CLIENT_API_KEY', 'the key that no generator makes');
    const handle = vi.fn();
    const handler = endpoint(rpcRoute, handle);
    await fc.assert(
      fc.asyncProperty(headers, body, sourceIp, async (headers, body, sourceIp) => {
        await expectEnvelope(handler, { method: 'POST', headers, body, sourceIp });
        expect(handle).not.toHaveBeenCalled();
      }),
      { numRuns },
    );
  });
});
