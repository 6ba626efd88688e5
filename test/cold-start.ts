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

/** The other variables of a deployed function; no server answers, so that only loading is measured. */
const environment = {
  SNAPSHOT_BUCKET: 'bucket',
  HISTORY_BUCKET: 'bucket',
  REGISTRY_BUCKET: 'bucket',
  SHARED_TABLE: 'table',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
  AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
};

/** Loads `index.mjs` of a folder in a process of its own, as deployed, and looks at what came along. */
export async function coldStartOf(folder: string): Promise<ColdStart> {
  const index = pathToFileURL(join(folder, 'index.mjs')).href;
  const probe = join(import.meta.dirname, 'cold-start-probe.mjs');
  const options = { env: { ...process.env, ...environment } };
  const { stdout } = await promisify(execFile)(process.execPath, [probe, index], options);
  const { files, undici } = JSON.parse(stdout) as { files: string[]; undici: boolean };
  const all = (await readdir(folder)).map((name) => join(folder, name));
  return { initBytes: await bytesOf(files), totalBytes: await bytesOf(all), loadsUndici: undici };
}

async function bytesOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
