import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ownerOf, takeStore } from './store-owner.ts';

/** Above the largest number of a process. */
const DEAD = 2 ** 22 + 1;

it('removes the unfinished files of processes that have died, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-owner-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const others = [`owner.json.${process.ppid}-3000`, 'owner.json.bak', 'simulated'];
  for (const name of [`owner.json.${DEAD}-3000`, ...others]) writeFileSync(join(folder, name), '{');

  const { note, release } = await takeStore(folder, 'http://127.0.0.1:9');
  note({ s3: 'http://127.0.0.1:10' });

  expect(readdirSync(folder).sort()).toEqual(['owner.json', ...others].sort());
  expect(ownerOf(folder)).toMatchObject({ pid: process.pid, s3: 'http://127.0.0.1:10' });
  release();
  expect(readdirSync(folder).sort()).toEqual(others.sort());
});
