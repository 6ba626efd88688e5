import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../local/dynamodb.ts';
import { createKeyedTable } from '../local/dynamodb-table.ts';
import { startLocalService } from '../local/service.ts';
import { takeStore } from '../local/store-owner.ts';
import { addKey, awsEdgeStore, listKeys, revokeKey } from '../scripts/keys/records.ts';
import { main } from '../scripts/keys.ts';
import { digestOf } from '../shared/http/named-keys.ts';
import { dynamoTable } from '../shared/platform/dynamo-table.ts';
import type { SharedTable } from '../shared/platform/table.ts';
import { runHere } from './run-here.ts';

let server: LocalDynamoDb;
let table: SharedTable;
/** The command puts its access to a service into the environment. */
const setByCommand = [
  ...['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL_DYNAMODB', 'AWS_REGION'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
];
const store = mkdtempSync(join(inject('runFolder'), 'keys-'));

beforeAll(async () => {
  for (const name of setByCommand) vi.stubEnv(name, undefined);
  server = await startDynamoDb();
  await createKeyedTable(server, 'keys');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  table = dynamoTable(
    'keys',
    { endpoint: server.url, region: 'us-east-1', credentials },
    { timeoutMs: 20_000 },
  );
  const owned = await takeStore(store, 'http://127.0.0.1:9');
  owned.note({ s3: 'http://127.0.0.1:9', dynamoDb: server.url, table: 'keys' });
});
afterAll(() => {
  vi.unstubAllEnvs();
  return server.close();
});

const run = (...args: readonly string[]) => runHere(main, args);
const here = (...args: readonly string[]) => run(...args, '--store', store);

describe('npm run keys', () => {
  it('prints a key once, lists its name and limits, and revokes it', async () => {
    const added = await here('add', 'sheet_1', '--per-minute', '30', '--expires', '2999-06-30');
    const { key, ...client } = JSON.parse(added.stdout);
    expect(client).toEqual({ name: 'sheet_1', perMinute: 30, expires: '2999-06-30T00:00:00.000Z' });
    expect(key).toMatch(/^mdk_[0-9a-f]{40}[0-9a-f]{8}$/);

    const listed = await here('list');
    expect(JSON.parse(listed.stdout)).toEqual([{ ...client, made: expect.stringMatching(/Z$/) }]);
    expect(listed.stdout).not.toContain(key);
    expect(JSON.stringify(await table.get('keys#clients'))).not.toContain(key.slice(4, 44));

    expect(await here('add', 'sheet_1')).toEqual({
      stdout: '',
      stderr:
        'add failed: There is a key named sheet_1: revoke it first (npm run keys -- revoke sheet_1), or choose another name\n',
      code: 1,
    });
    expect(JSON.parse((await here('revoke', 'sheet_1')).stdout)).toEqual({ revoked: 'sheet_1' });
    expect(JSON.parse((await here('list')).stdout)).toEqual([]);
    expect(await here('revoke', 'sheet_1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no key named sheet_1'),
    });
  });

  it.each([
    [['add', 'a b'], /^No name: a b\. It may have letters/],
    [['add'], /^The command is: add <name>/],
    [['add', 'a', '--per-minute', '0'], /^--per-minute takes a whole number/],
    [['add', 'a', '--expires', '2001-01-01'], /^--expires takes a date to come/],
    [['add', 'a', '--expires', '2027-02-30'], /^There is no 2027-02-30; --expires takes a date to come/],
    [['add', 'a', '--expires', '2999-04-31T12:00Z'], /^There is no 2999-04-31T12:00Z; --expires/],
    [['list', '--expires', '2999-01-01'], /^Unknown option '--expires'/],
    [['remove', 'a'], /^Unknown command: remove/],
    [[], /^The command is missing/],
  ])('reports the mistake in %j', async (args, problem) => {
    const { code, stderr } = await here(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(problem);
  });

  it('says what to start where no service has keys', async () => {
    const { code, stderr } = await run('list', '--store', join(store, 'other'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^list failed: No service has its store in \S+: run npm start/);
  });
});

describe('the keys of a stage', () => {
  it('are all kept if they are added at the same moment', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `client-${index}`);
    await Promise.all(names.map((name) => addKey({ table, edge: undefined }, { name }, Date.now())));

    expect((await listKeys({ table })).map(({ name }) => name).sort()).toEqual(names);
    for (const name of names) await revokeKey({ table, edge: undefined }, name);
  });

  it('are put into the store at the edge, on its latest state, and are not kept if that fails', async () => {
    const bin = mkdtempSync(join(store, 'bin-'));
    const calls = join(bin, 'calls');
    const path = process.env.PATH;
    const install = (text: string) => {
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, 'aws'), `#!/bin/sh\n${text}`);
      chmodSync(join(bin, 'aws'), 0o755);
    };
    process.env.PATH = `${bin}:${path}`;
    try {
      const place = { table, edge: awsEdgeStore('arn:aws:cloudfront::1:key-value-store/2') };
      install(`echo "$@" >> ${calls}; echo '{"ETag":"E1"}'`);
      const key = await addKey(place, { name: 'alice', perMinute: 60 }, Date.now());
      await revokeKey(place, 'alice');
      const digest = digestOf(key);
      const changes = readFileSync(calls, 'utf8')
        .split('\n')
        .filter((line) => /(put|delete)-key /.test(line));
      expect(changes).toEqual([
        expect.stringContaining(`--if-match E1 --key ${digest} --value alice;60;`),
        expect.stringContaining(`--if-match E1 --key ${digest} --output`),
      ]);

      const again = await addKey({ table, edge: undefined }, { name: 'carol' }, Date.now());
      install(
        'case "$2" in delete-key) echo ResourceNotFoundException >&2; exit 1;; esac; echo \'{"ETag":"E1"}\'',
      );
      await revokeKey(place, 'carol');
      expect(JSON.stringify(await listKeys(place))).not.toContain(digestOf(again));

      install('echo AccessDenied >&2; exit 1');
      await expect(addKey(place, { name: 'bob' }, Date.now())).rejects.toThrow(/not changed: AccessDenied/);
      expect(await listKeys(place)).toEqual([]);
    } finally {
      process.env.PATH = path;
    }
  });
});

it('a local service in production accepts the keys that the command has created', {
  timeout: 60_000,
}, async () => {
  const folder = join(store, 'served');
  const service = await startLocalService({
    provider: { mode: 'simulated' },
    env: { NODE_ENV: 'production', CLIENT_API_KEY: 'application' },
    store: { folder },
    shared: true,
    quiet: true,
  });
  try {
    const { key } = JSON.parse((await run('add', 'alice', '--per-minute', '7', '--store', folder)).stdout);
    // A function with rows of its own in the table, and one without.
    for (const path of ['/api/marketdata/ticker/btc-bitcoin', '/api/marketdata/search?q=bitcoin']) {
      const limitOf = async (headers: Record<string, string>) => {
        const response = await fetch(service.url + path, { headers });
        return [response.status, response.headers.get('ratelimit-limit')];
      };
      expect(await limitOf({ authorization: `Bearer ${key}` })).toEqual([200, '7']);
      expect(await limitOf({ 'x-api-key': 'application' })).toEqual([200, '100']);
      expect(await limitOf({ 'x-api-key': `${key}0` })).toEqual([401, '100']);
    }
  } finally {
    await service.close();
  }
});
