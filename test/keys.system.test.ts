import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../local/dynamodb.ts';
import { createKeyedTable } from '../local/dynamodb-table.ts';
import { addKey, awsEdgeStore, listKeys, revokeKey } from '../scripts/keys/records.ts';
import { main } from '../scripts/keys.ts';
import { lockFolder, openFolder } from '../shared/folder/open-folder.ts';
import { sqliteTable } from '../shared/folder/table.ts';
import { digestOf } from '../shared/http/named-keys.ts';
import { dynamoTable } from '../shared/platform/dynamo-table.ts';
import { useObjects } from '../shared/platform/objects.ts';
import { useTables } from '../shared/platform/open-table.ts';
import type { SharedTable } from '../shared/platform/table.ts';
import { runHere } from './run-here.ts';
import { get, startServerProcess } from './server/server.testing.ts';

let server: LocalDynamoDb;
let table: SharedTable;
const store = mkdtempSync(join(inject('runFolder'), 'keys-'));

beforeAll(async () => {
  server = await startDynamoDb();
  await createKeyedTable(server, 'keys');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  table = dynamoTable(
    'keys',
    { endpoint: server.url, region: 'us-east-1', credentials },
    { timeoutMs: 20_000 },
  );
  openFolder(join(store, 'live')).close();
});
afterAll(() => {
  // The command makes this process use the folder.
  useObjects(undefined);
  useTables(undefined);
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
    const { database, close } = openFolder(join(store, 'live'));
    const row = JSON.stringify(await sqliteTable(database).get('keys#clients'));
    close();
    expect(row).toContain('sheet_1');
    expect(row).not.toContain(key.slice(4, 44));

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

  it('says what to start where no server has its data, and asks where two have', async () => {
    const { code, stderr } = await run('list', '--store', join(store, 'other'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^list failed: No server has its data in \S+: run npm start/);

    const both = mkdtempSync(join(store, 'both-'));
    for (const kind of ['live', 'simulated']) openFolder(join(both, kind)).close();
    const several = await run('list', '--store', both);
    expect(several.code).toBe(1);
    expect(several.stderr).toMatch(
      /^list failed: There are several in \S+: give --store \S+live or --store \S+simulated\n$/,
    );
    const unlock = lockFolder(join(both, 'simulated'));
    expect(await run('list', '--store', both)).toMatchObject({ code: 0, stdout: '[]\n' });
    unlock();
    expect(await run('list', '--store', join(both, 'live'))).toMatchObject({ code: 0 });
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

it('a running server accepts the keys that the command has created, also after it is killed', {
  timeout: 120_000,
}, async () => {
  const folder = join(store, 'served');
  const environment = { NODE_ENV: 'production', CLIENT_API_KEY: 'application' };
  const start = () => startServerProcess(['--simulated', '--store', folder], environment);
  const first = await start();
  const ticker = (url: string, headers: Record<string, string>) =>
    get(`${url}/api/marketdata/ticker/btc-bitcoin`, headers);
  await expect
    .poll(async () => (await ticker(first.url, { 'x-api-key': 'application' })).status, { timeout: 60_000 })
    .toBe(200);
  const { key } = JSON.parse((await run('add', 'alice', '--per-minute', '7', '--store', folder)).stdout);
  await first.end('SIGKILL');
  const { url } = await start();

  const limitOf = async (headers: Record<string, string>) => {
    const response = await ticker(url, headers);
    return [response.status, response.headers.get('ratelimit-limit')];
  };
  expect(await limitOf({ authorization: `Bearer ${key}` })).toEqual([200, '7']);
  expect(await limitOf({ 'x-api-key': 'application' })).toEqual([200, '100']);
  expect(await limitOf({ 'x-api-key': `${key}0` })).toEqual([401, '100']);
});
