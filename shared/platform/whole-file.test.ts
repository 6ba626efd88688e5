import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeWhole } from './whole-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'whole-'));
  path = join(folder, 'file');
});
afterEach(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
  fs.rmSync(folder, { recursive: true });
});

it('replaces a file whole', () => {
  writeWhole(path, 'first');
  writeWhole(path, Buffer.from('second'), join(folder, 'aside'));
  expect(fs.readFileSync(path, 'utf8')).toBe('second');
  expect(fs.readdirSync(folder)).toEqual(['file']);
});

it('leaves the former file alone on a full disk', async () => {
  writeWhole(path, 'first');
  vi.resetModules();
  vi.doMock('node:fs', () => ({
    ...fs,
    writeFileSync(file: string, content: string) {
      fs.writeFileSync(file, content.slice(0, 3));
      throw new Error('ENOSPC: no space left on device');
    },
  }));
  const onFullDisk = await import('./whole-file.ts');
  expect(() => onFullDisk.writeWhole(path, 'second')).toThrow('ENOSPC');
  expect(fs.readFileSync(path, 'utf8')).toBe('first');
  expect(fs.readdirSync(folder)).toEqual(['file']);
});

it('leaves nothing where the name is a folder’s', () => {
  fs.mkdirSync(path);
  expect(() => writeWhole(path, 'content')).toThrow();
  expect(fs.readdirSync(folder)).toEqual(['file']);
});
