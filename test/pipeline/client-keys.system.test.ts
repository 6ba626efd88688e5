import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { addKey, revokeKey } from '../../scripts/keys/records.ts';
import { namedClientOf } from '../../shared/http/client.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { newKey } from '../../shared/http/named-keys.ts';
import { dynamoTable } from '../../shared/platform/dynamo-table.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { call, failure, type TestRequest } from './event.ts';
import { pingRoute } from './routes.ts';

const CLIENT_APPLICATION = 'the-key-of-the-application';
const MINUTE_MS = 60_000;

/** Answers with what it knows of the client, and with the query that is left. */
const handler = () =>
  endpoint(pingRoute, (_input, { event }) => ({
    client: namedClientOf(event) ?? null,
    query: event.rawQueryString,
  }));

const bodyOf = {
  success: true,
  data: expect.objectContaining({ client: expect.objectContaining({ name: 'alice' }) }),
};
const refused = { status: 401, body: failure('Unauthorized') };

let server: LocalDynamoDb;
let place: { readonly table: SharedTable; readonly edge: undefined };
let tables = 0;

beforeAll(async () => {
  server = await startDynamoDb();
});
afterAll(() => server.close());

beforeEach(async () => {
  tables += 1;
  const name = `keys-${tables}`;
  await createKeyedTable(server, name);
  vi.stubEnv('NODE_ENV', 'production');
  vi.stubEnv('CLIENT_API_KEY', CLIENT_APPLICATION);
  vi.stubEnv('KEYS_TABLE', name);
  for (const [variable, value] of Object.entries(server.environment)) vi.stubEnv(variable, value);
  place = { table: dynamoTable(name), edge: undefined };
  // So far that the clock of an earlier test, which goes on by a minute, has let the held copy go.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + tables * 3 * MINUTE_MS });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const ask = (headers: Record<string, string>, asked: TestRequest = {}) => {
  return call(handler(), { ...asked, headers });
};

describe('a function without an edge', () => {
  it.each(['x-api-key', 'X-Api-Key', 'x-cg-demo-api-key', 'x-cg-pro-api-key', 'authorization'])(
    'takes the key of a named client from %s',
    async (header) => {
      const key = await addKey(place, { name: 'alice' }, Date.now());

      const value = header === 'authorization' ? `Bearer ${key}` : key;
      expect(await ask({ [header]: value })).toMatchObject({ status: 200, body: bodyOf });
      const own = header === 'authorization' ? `Bearer ${CLIENT_APPLICATION}` : CLIENT_APPLICATION;
      expect(await ask({ [header]: own })).toMatchObject({ status: 200, body: { data: { client: null } } });
      expect(await ask({ [header]: newKey() })).toMatchObject(refused);
    },
  );

  it.each(['key', 'x_cg_demo_api_key', 'x_cg_pro_api_key'])(
    'takes it from the query of paths for spreadsheets only: %s',
    async (name) => {
      const key = await addKey(place, { name: 'alice' }, Date.now());
      const query = `${name}=${key}`;

      for (const path of ['/coingecko/api/v3/ping', '/export/prices.csv']) {
        const { status, body } = await ask({}, { path, query });
        expect([status, body]).toEqual([
          200,
          { success: true, data: expect.objectContaining({ query: '' }) },
        ]);
      }
      for (const asked of [
        { path: '/api/test/ping' },
        { path: '/export/x', method: 'POST' },
        { path: '/udf/x' },
      ]) {
        const answer = await ask({}, { ...asked, query });
        expect(answer).toMatchObject(refused);
        expect(JSON.stringify(answer)).not.toContain(key);
      }
    },
  );

  it('refuses a key that is revoked within a minute, and one that has expired', async () => {
    const alice = await addKey(place, { name: 'alice' }, Date.now());
    const bob = await addKey(place, { name: 'bob', expires: Date.now() + 1_000 }, Date.now());
    expect(await ask({ 'x-api-key': alice })).toMatchObject({ status: 200 });
    expect(await ask({ 'x-api-key': bob })).toMatchObject({ status: 200 });

    await revokeKey(place, 'alice');
    vi.setSystemTime(Date.now() + 1_000);
    expect(await ask({ 'x-api-key': bob })).toMatchObject(refused);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect(await ask({ 'x-api-key': alice })).toMatchObject(refused);
  });

  it('reads nothing for the application’s key, and for no key', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');

    expect(await ask({ 'x-api-key': CLIENT_APPLICATION })).toMatchObject({ status: 200 });
    expect(await ask({})).toMatchObject(refused);
    expect(await ask({ 'x-api-key': `${newKey()}0` })).toMatchObject(refused);
    expect(await ask({ 'x-api-key': newKey() })).toMatchObject({
      status: 503,
      body: failure('Keys cannot be checked at the moment; try again'),
    });
  });

  it('counts a client by the name of its key, from any address, with the limit of the key', async () => {
    const key = await addKey(place, { name: 'alice', perMinute: 2 }, Date.now());
    const wrapped = handler();
    const from = (sourceIp: string, given = key) =>
      call(wrapped, { headers: { 'x-api-key': given }, sourceIp });

    const limits = [await from('192.0.2.1'), await from('192.0.2.2')].map(
      ({ headers }) => headers['ratelimit-remaining'],
    );
    expect(limits).toEqual(['1', '0']);
    expect(await from('192.0.2.3')).toMatchObject({
      status: 429,
      body: failure(expect.stringMatching(/^Rate limit exceeded: this client's, 2 requests a minute/)),
    });
    expect(await from('192.0.2.1', CLIENT_APPLICATION)).toMatchObject({ status: 200 });
  });
});

describe('a function behind the edge', () => {
  const SECRET = 'only-the-distribution-knows';
  const through = { 'x-origin-secret': SECRET };
  beforeEach(() => vi.stubEnv('ORIGIN_SECRET', SECRET));

  it('trusts the edge about a client, and reads nothing itself', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
    const known = await ask({ ...through, 'x-client': 'name alice;60;1767225600000' });

    expect(known).toMatchObject({
      status: 200,
      headers: { 'ratelimit-limit': '60' },
      body: { data: { client: { name: 'alice', perMinute: 60, expires: 1_767_225_600_000 } } },
    });
    expect(await ask({ ...through, 'x-client': `key ${CLIENT_APPLICATION}` })).toMatchObject({ status: 200 });
    for (const given of ['key ', `key ${newKey()}`, 'key name alice;60;', 'alice'])
      expect(await ask({ ...through, 'x-client': given })).toMatchObject(refused);
  });

  it('trusts no other sender', async () => {
    expect(await ask({ 'x-client': 'name alice;60;' })).toMatchObject({ status: 403 });
    vi.stubEnv('ORIGIN_SECRET', '');
    expect(await ask({ 'x-client': 'name alice;60;' })).toMatchObject(refused);
  });
});
