import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openRegistry } from '../shared/registry/registry.ts';
import { buildRegistry, writeRegistry } from './build.ts';
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

test('a write that breaks off before the manifest leaves the earlier registry, and the next one cleans up what is its own', async () => {
  const [first, second] = [300, 310].map((count) =>
    buildRegistry(simulatedEntries(count), { source: 'simulated' }),
  ) as [ReturnType<typeof buildRegistry>, ReturnType<typeof buildRegistry>];
  const blocker = join(folder, 'manifest.json.new');
  await writeFile(join(folder, 'README'), 'mine');
  await writeRegistry(folder, first);
  await mkdir(blocker);
  await expect(writeRegistry(folder, second)).rejects.toThrow('EISDIR');
  expect(openRegistry(folder).size).toBe(300);

  await rm(blocker, { recursive: true });
  await writeRegistry(folder, second);
  expect(openRegistry(folder).size).toBe(310);
  expect((await readdir(folder)).sort()).toEqual(['README', second.manifest.index, 'manifest.json'].sort());
});

test('leaves out wrong entries, and names them', async () => {
  const entries = simulatedEntries(500);
  await writeFile(list, JSON.stringify([...entries, { ...entries[0], id: 'x', rank: null }, entries[1]]));
  expect(await main(['--source', list, '--out', out])).toBe(0);
  expect(openRegistry(out).size).toBe(500);
  expect(errors.mock.calls).toEqual([
    [
      '2 of 502 entries of the coin list were left out: Entry 500 ("x"): rank is null; it must be an integer from 0; ' +
        `Entry 501: id "${entries[1]?.id}" is the id of entry 1 already`,
    ],
  ]);
});

test('leaves the earlier registry untouched when more than a fifth of the entries are wrong, and names one', async () => {
  await writeFile(list, JSON.stringify(simulatedEntries(500)));
  await main(['--source', list, '--out', out]);
  const before = await readFile(join(out, 'manifest.json'), 'utf8');
  await writeFile(list, JSON.stringify([...simulatedEntries(3), { id: 'x' }]));
  expect(await main(['--source', list, '--out', out])).toBe(1);
  expect(errors.mock.calls[0]?.[0]).toBe(
    `The registry was not built: ${list}: 1 of 4 entries of the coin list cannot be read: Entry 3 ("x"): name is missing; it must be a text of at most 1000 characters`,
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
