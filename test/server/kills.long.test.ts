/** 200 kills at every kind of write: the folder opens again, and nothing that was acknowledged is lost or half there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockFolder, openFolder } from '../../shared/folder/open-folder.ts';
import { sqliteTable } from '../../shared/folder/table.ts';
import type { Objects } from '../../shared/platform/objects.ts';
import { seededRandom } from '../random.ts';
import { newFolder } from './server.testing.ts';
import { NEW, OLD, writes } from './writes.ts';

const program = join(import.meta.dirname, 'writes.ts');
const preload = pathToFileURL(join(import.meta.dirname, 'kill-at.mjs')).href;
const KILLS = 200;
const MINUTE = 60_000;
const LEFT = 'objects/history/left@0.unfinished';
let base = '';
let kills = 0;

beforeAll(async () => {
  base = newFolder();
  const folder = openFolder(base);
  await folder.objects('history/').put('a', OLD, 'application/octet-stream');
  await folder.objects('snapshot/').put('t', OLD, 'application/octet-stream');
  await sqliteTable(folder.database).update('k', { set: { n: 1 } });
  folder.close();
  writeFileSync(join(base, LEFT), 'half');
});
afterAll(() => expect(kills).toBeGreaterThanOrEqual(KILLS));

async function run(path: string, kind: string, killAt: number) {
  const child = spawn(process.execPath, ['--import', preload, program, path, kind], {
    env: { PATH: process.env.PATH, KILL_AT: String(killAt) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (child.signalCode === 'SIGKILL') kills += 1;
  return { signal: child.signalCode, status: child.exitCode, printed };
}

async function read(objects: Objects, name: string): Promise<string | undefined> {
  const found = await objects.get(name, AbortSignal.timeout(5_000)).catch((error: Error) => {
    if (error.name === 'NoSuchKey') return undefined;
    throw error;
  });
  return found && Buffer.from(found.bytes).toString();
}

/** What a server finds at its next start, after which nothing unfinished is there. */
async function stateOf(path: string) {
  const unlock = lockFolder(path);
  const folder = openFolder(path);
  try {
    await folder.sweep();
    const history = folder.objects('history/');
    const state = {
      a: await read(history, 'a'),
      new: await read(history, 'new'),
      t: await read(folder.objects('snapshot/'), 't'),
      n: (await sqliteTable(folder.database).get('k'))?.n,
    };
    const named = [...(await history.list('')), ...(await folder.objects('snapshot/').list(''))];
    expect(filesOf(path)).toHaveLength(named.length);
    await history.put('afterwards', NEW, 'application/octet-stream');
    return state;
  } finally {
    folder.close();
    unlock();
  }
}

function filesOf(path: string): string[] {
  const files = readdirSync(join(path, 'objects'), { recursive: true, withFileTypes: true });
  return files.filter((file) => file.isFile()).map(({ name }) => name);
}

const before = { a: String(OLD), new: undefined, t: String(OLD), n: 1 };
const after: Readonly<Record<string, Partial<Record<keyof typeof before, unknown>>>> = {
  'puts a new object': { new: String(NEW) },
  'replaces an object': { a: String(NEW) },
  'replaces an object on a condition': { a: String(NEW) },
  'replaces one that is made anew soon': { t: String(NEW) },
  'removes an object': { a: undefined },
  'counts in the table': { n: 2 },
  'sets in the table on a condition': { n: 2 },
};

test.each(Object.keys(writes))(
  'killed at each step while it %s',
  async (kind) => {
    let killAt = 1;
    for (; killAt < 50; killAt += 1) {
      const path = newFolder();
      cpSync(base, path, { recursive: true });
      const { signal, printed } = await run(path, kind, killAt);
      const done = { ...before, ...after[kind] };
      const state = await stateOf(path);
      if (printed.startsWith('acknowledged')) {
        expect(state).toEqual(done);
        expect(signal).toBe(null);
        break;
      }
      expect(signal).toBe('SIGKILL');
      expect([before, done]).toContainEqual(state);
    }
    expect(killAt).toBeGreaterThan(1);
  },
  5 * MINUTE,
);

test(
  'killed at each step while it opens a new folder',
  async () => {
    for (let killAt = 1; killAt < 50; killAt += 1) {
      const path = newFolder();
      const { printed } = await run(path, 'opens the folder', killAt);
      mkdirSync(join(path, 'objects'), { recursive: true });
      expect(await stateOf(path)).toMatchObject({ a: undefined, n: undefined });
      if (printed.startsWith('acknowledged')) return;
    }
    expect.unreachable('it never opened');
  },
  5 * MINUTE,
);

test(
  'killed at any moment while it writes all the time',
  async () => {
    const random = seededRandom(45);
    const path = newFolder();
    cpSync(base, path, { recursive: true });
    let counted = 1;
    while (kills < KILLS) {
      const child = spawn(process.execPath, [program, path, 'all'], { stdio: ['ignore', 'pipe', 'inherit'] });
      const printed = text(child.stdout);
      const first = await Promise.race([once(child.stdout, 'readable'), once(child, 'close')]);
      expect(first).toEqual([]);
      await sleep(random() * 40);
      child.kill('SIGKILL');
      await once(child, 'close');
      kills += 1;
      const acknowledged = Number((await printed).trimEnd().split('\n').at(-1));

      const { a = '', t = '', n } = await stateOf(path);
      const repeated = (text: string) => Number(/^(\d+) /.exec(text)?.[1]);
      for (const content of [a, t]) {
        expect(content).toBe(String(Buffer.alloc(100_000, `${repeated(content)} `)));
        expect([acknowledged, acknowledged + 1]).toContain(repeated(content));
      }
      expect([counted + acknowledged, counted + acknowledged + 1]).toContain(n);
      counted = Number(n);
    }
  },
  10 * MINUTE,
);
