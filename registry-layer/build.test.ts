import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRegistry } from '../shared/registry/registry.ts';
import { buildRegistry, writeRegistry } from './build.ts';
import { simulatedEntries } from './simulated/list.ts';

const [first, second] = [300, 310].map((count) =>
  buildRegistry(simulatedEntries(count), { source: 'simulated' }),
) as [ReturnType<typeof buildRegistry>, ReturnType<typeof buildRegistry>];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('a write that breaks off before the manifest leaves the previous registry, and the next one cleans up', async () => {
  await writeRegistry(folder, first);
  const blocker = join(folder, 'manifest.json.new');
  await mkdir(blocker);
  await expect(writeRegistry(folder, second)).rejects.toThrow('EISDIR');
  expect(openRegistry(folder).size).toBe(300);

  await rm(blocker, { recursive: true });
  await writeRegistry(folder, first);
  expect(openRegistry(folder).size).toBe(300);
  expect(await readdir(folder)).toEqual([first.manifest.index, 'manifest.json']);
});

test('files of others in the folder stay', async () => {
  await writeFile(join(folder, 'README'), 'mine');
  await writeRegistry(folder, first);
  expect(await readdir(folder)).toContain('README');
});
