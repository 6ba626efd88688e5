/** The drivers of the two ports, each against one suite: what AWS does is what a server of one's own does. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { openDatabase } from '../../shared/folder/database.ts';
import { folderObjects } from '../../shared/folder/objects.ts';
import { sqliteTable } from '../../shared/folder/table.ts';
import { dynamoTable } from '../../shared/platform/dynamo-table.ts';
import { type Objects, objectsOf, replacing } from '../../shared/platform/objects.ts';
import { ConditionFailed } from '../../shared/platform/s3-error.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { startStubbedS3 } from '../s3.ts';
import type {} from '../setup/run-folder.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  vi.unstubAllEnvs();
});
const folder = () => mkdtempSync(join(inject('runFolder'), 'drivers-'));
const signal = () => AbortSignal.timeout(10_000);

const tables: Readonly<Record<string, () => Promise<SharedTable>>> = {
  async DynamoDB() {
    const server = await startDynamoDb();
    cleanUps.push(() => server.close());
    await createKeyedTable(server, 'table');
    const access = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
    return dynamoTable('table', { ...access, endpoint: server.url });
  },
  'SQLite in a file': async () => {
    const database = openDatabase(join(folder(), 'server.db'));
    cleanUps.push(() => database.close());
    return sqliteTable(database);
  },
  'SQLite in memory': async () => {
    const database = openDatabase(':memory:');
    cleanUps.push(() => database.close());
    return sqliteTable(database);
  },
};

describe.each(Object.entries(tables))('the shared table, in %s', (_name, open) => {
  it('returns texts, numbers and bytes unchanged, and nothing for a row that is not there', async () => {
    const table = await open();
    for (const value of ['战旗', '', '#:"', 0.1, -1e100, Uint8Array.of(0, 255, 1)]) {
      await table.update('row', { set: { value } });
      const row = await table.get('row');
      expect(row?.value instanceof Uint8Array ? Uint8Array.from(row.value) : row?.value).toEqual(value);
    }
    expect(await table.get('other')).toBeUndefined();
  });

  it('sets, adds and removes in one change, and returns the row after it', async () => {
    const table = await open();
    expect(await table.update('row', { set: { a: 'x', until: 5 }, add: { n: 2 } })).toEqual({
      applied: true,
      row: { key: 'row', a: 'x', until: 5, n: 2 },
    });
    expect(await table.update('row', { add: { n: -1, m: 7 }, remove: ['a', 'missing'] })).toEqual({
      applied: true,
      row: { key: 'row', until: 5, n: 1, m: 7 },
    });
  });

  it('changes nothing if the condition does not hold, and returns the row as it is', async () => {
    const table = await open();
    await table.update('row', { set: { holder: 'me', until: 10 } });
    const conditions = [
      { absent: 'holder' },
      ['holder', '=', 'you'],
      ['until', '<', 10],
      ['until', '<=', 9.5],
      ['missing', '<', 1],
      ['missing', '=', ''],
      ['holder', '<', 1],
      {
        all: [
          ['holder', '=', 'me'],
          ['until', '<', 10],
        ],
      },
      { any: [{ absent: 'until' }, ['until', '=', 11]] },
    ] as const;
    for (const when of conditions)
      expect(await table.update('row', { set: { until: 99 }, when }), JSON.stringify(when)).toEqual({
        applied: false,
        row: { key: 'row', holder: 'me', until: 10 },
      });
    const when = {
      all: [{ any: [{ absent: 'x' }, ['until', '<', 0]] }, ['until', '<=', 10], ['holder', '<', 'n']],
    } as const;
    expect(await table.update('row', { set: { until: 11 }, when })).toMatchObject({
      applied: true,
      row: { until: 11 },
    });
    expect(await table.update('none', { set: { a: 1 }, when: ['a', '=', 1] })).toEqual({
      applied: false,
      row: undefined,
    });
  });

  it('applies each of many changes at once', async () => {
    const table = await open();
    const limit = { any: [{ absent: 'n' }, ['n', '<', 20]] } as const;
    const all = await Promise.all(
      Array.from({ length: 50 }, () => table.update('row', { add: { n: 1 }, when: limit })),
    );
    expect(all.filter(({ applied }) => applied)).toHaveLength(20);
    expect(await table.get('row')).toEqual({ key: 'row', n: 20 });
  });
});

const stores: Readonly<Record<string, () => Promise<Objects>>> = {
  async S3() {
    const s3 = await startStubbedS3();
    cleanUps.push(() => s3.close());
    return objectsOf('bucket', 'prefix/');
  },
  'a folder': async () => {
    const place = folder();
    const database = openDatabase(join(place, 'server.db'));
    cleanUps.push(() => database.close());
    return folderObjects({ database, folder: join(place, 'objects') }).below('prefix/');
  },
};

describe.each(Object.entries(stores))('objects, in %s', (_name, open) => {
  const textOf = async (objects: Objects, name: string) => String((await objects.get(name, signal())).bytes);

  it.each([
    'a b+',
    'toto-totoro-inu-?',
    '战旗-战旗',
    "~!'()*",
    '100%',
    'a%21b',
    'A',
    'x'.repeat(700),
    'ä/Ö/.hidden',
  ])('may have any name: %s', async (name) => {
    const objects = await open();
    await objects.put(name, 'odd', 'text/plain', replacing(undefined));
    expect(await textOf(objects, name)).toBe('odd');
    expect(await objects.list('')).toEqual([name]);
  });

  it('are read whole, in part, and only if they are newer', async () => {
    const objects = await open();
    await objects.put('name', 'content', 'text/plain');
    const { etag } = await objects.get('name', signal());
    expect(etag).toMatch(/^"\w+"$/);
    const part = await objects.getRange('name', [3, 99], signal());
    expect([String(part?.bytes), part?.etag]).toEqual(['tent', etag]);
    expect(await objects.getRange('name', [3, 99], signal(), etag)).toBeUndefined();
    expect(await objects.getRange('name', [3, 99], signal(), '"other"')).toEqual(part);
    expect(await objects.getNewer('name', etag, { signal: signal() })).toBeUndefined();
    await objects.put('name', 'newer', 'text/plain');
    expect(String((await objects.getNewer('name', etag, { signal: signal() }))?.bytes)).toBe('newer');
    await expect(objects.getRange('name', [5, 9], signal())).rejects.toMatchObject({ name: 'InvalidRange' });
  });

  it('that are not there are an error named as S3 names it', async () => {
    const objects = await open();
    const missing = { name: 'NoSuchKey' };
    await expect(objects.get('none', signal())).rejects.toMatchObject(missing);
    await expect(objects.getRange('none', [0, 1], signal())).rejects.toMatchObject(missing);
    await expect(objects.getNewer('none', undefined, { signal: signal() })).rejects.toMatchObject(missing);
  });

  it('are replaced and removed only under the condition, by one of many writers', async () => {
    const objects = await open();
    await expect(objects.put('name', 'x', 'text/plain', replacing('"none"'))).rejects.toThrow(
      ConditionFailed,
    );
    const made = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((content) => objects.put('name', content, 'text/plain', replacing(undefined))),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { etag = '' } = await objects.get('name', signal());
    await objects.put('name', 'next', 'text/plain', replacing(etag));
    await expect(objects.remove('name', etag)).rejects.toThrow(ConditionFailed);
    const { etag: next = '' } = await objects.get('name', signal());
    await objects.remove('name', next);
    await objects.remove('name', next);
    expect(await objects.list('')).toEqual([]);
  });

  it('are listed by the beginning of their names, in the order of their bytes', async () => {
    const objects = await open();
    for (const name of ['b/2', 'b/10', 'B/1', 'ba', 'b/\u{1f600}', 'b/é'])
      await objects.put(name, name, 'text/plain');
    expect(await objects.list('b/')).toEqual(['b/10', 'b/2', 'b/é', 'b/\u{1f600}']);
    expect(await objects.list('b')).toEqual(['b/10', 'b/2', 'b/é', 'b/\u{1f600}', 'ba']);
  });
});

describe('a folder', () => {
  async function opened() {
    const place = folder();
    const database = openDatabase(join(place, 'server.db'));
    cleanUps.push(() => database.close());
    return { place, ...folderObjects({ database, folder: join(place, 'objects') }) };
  }
  const filesIn = (place: string) =>
    readdirSync(join(place, 'objects'), { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );

  it('has one file for each object, whatever was put and refused', async () => {
    const { place, below, sweep } = await opened();
    const objects = below('');
    for (const content of ['a', 'b', 'a', 'a', 'c']) await objects.put('name', content, 'text/plain');
    await objects.put('name', 'd', 'text/plain', replacing(undefined)).catch(() => {});
    expect(filesIn(place)).toHaveLength(1);
    expect(await sweep()).toBe(0);
    expect(String((await objects.get('name', signal())).bytes)).toBe('c');
  });

  it('keeps a content that is put again while another writer removes it', async () => {
    const { below } = await opened();
    const objects = below('');
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(['a', 'b', 'a', 'b'].map((content) => objects.put('name', content, 'text/plain')));
      expect(String((await objects.get('name', signal())).bytes)).toMatch(/^[ab]$/);
    }
  });
});
