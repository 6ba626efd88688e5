import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openRegistry } from '../shared/registry/registry.ts';
import { main } from './main.ts';
import { simulatedEntries } from './simulated/list.ts';

let folder: string;
let out: string;
let list: string;
const log = vi.spyOn(console, 'log').mockImplementation(() => {});
const errors = vi.spyOn(console, 'error').mockImplementation(() => {});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
  out = join(folder, 'registry');
  list = join(folder, 'list.json');
  log.mockClear();
  errors.mockClear();
});

afterEach(() => rm(folder, { recursive: true }));

test('builds a list file into a folder that opens, and says what it built', async () => {
  await writeFile(list, JSON.stringify(simulatedEntries(500)));
  expect(await main(['--source', list, '--out', out])).toBe(0);
  const { manifest } = openRegistry(out);
  expect(manifest).toMatchObject({ source: 'list.json', entries: 500, formatVersion: 3 });
  expect(await readdir(out)).toEqual([manifest.index, 'manifest.json']);
  expect(log.mock.calls).toEqual([[expect.stringContaining(`version ${manifest.version}: ${out}`)]]);
  expect(errors).not.toHaveBeenCalled();
});

test('replaces an earlier index and removes it', async () => {
  for (const count of [500, 400]) {
    await writeFile(list, JSON.stringify(simulatedEntries(count)));
    await main(['--source', list, '--out', out]);
  }
  expect(openRegistry(out).size).toBe(400);
  expect(await readdir(out)).toHaveLength(2);
});

test('leaves the earlier registry untouched when the list has a wrong entry, and names it', async () => {
  await writeFile(list, JSON.stringify(simulatedEntries(500)));
  await main(['--source', list, '--out', out]);
  const before = await readFile(join(out, 'manifest.json'), 'utf8');
  await writeFile(list, JSON.stringify([...simulatedEntries(3), { id: 'x' }]));
  expect(await main(['--source', list, '--out', out])).toBe(1);
  expect(errors.mock.calls[0]?.[0]).toBe(
    `The registry was not built: ${list}: Entry 3 ("x"): name is missing; it must be a text of at most 1000 characters`,
  );
  expect(await readFile(join(out, 'manifest.json'), 'utf8')).toBe(before);
  expect(openRegistry(out).size).toBe(500);
});

test.each([
  [[], '--source is missing'],
  [['--source', 'paper'], 'Unknown source: paper'],
  [['--sauce', 'live'], "Unknown option '--sauce'"],
])('answers wrong usage with exit code 2: %j', async (args, message) => {
  expect(await main(args)).toBe(2);
  expect(errors.mock.calls).toEqual([[expect.stringContaining(message)]]);
  expect(errors.mock.calls[0]?.[0]).toMatch(/^.+\nSee npm run registry -- --help$/);
});

test('shows its usage when asked', async () => {
  expect(await main(['--help'])).toBe(0);
  expect(log.mock.calls[0]?.[0]).toContain('Usage: npm run registry');
});
