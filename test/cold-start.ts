import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** The content of a function's folder, and the part of it that a cold start loads. */
export interface ColdStart {
  readonly initBytes: number;
  readonly totalBytes: number;
  /** Node's own fetch, 43 ms and 6 MB. */
  readonly loadsUndici: boolean;
}

/** Loads `index.mjs` of a folder in a process of its own and looks at what came along. */
export async function coldStartOf(folder: string): Promise<ColdStart> {
  const index = pathToFileURL(join(folder, 'index.mjs')).href;
  const probe = join(import.meta.dirname, 'cold-start-probe.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [probe, index]);
  const { files, undici } = JSON.parse(stdout) as { files: string[]; undici: boolean };
  const all = (await readdir(folder)).map((name) => join(folder, name));
  return { initBytes: await bytesOf(files), totalBytes: await bytesOf(all), loadsUndici: undici };
}

async function bytesOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
