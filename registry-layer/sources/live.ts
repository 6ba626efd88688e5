import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Environment, parseEnvironment } from '../../shared/platform/environment.ts';
import { baseUrlOf } from '../../shared/providers/coinpaprika/base-url.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';
import { parseEntries } from './validate.ts';

const KEEP_MS = 24 * 60 * 60 * 1000;
const TIMEOUT_MS = 60_000;

export interface LiveOptions {
  /** File that keeps the answer. */
  readonly cacheFile: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => number;
  /** Called with a sentence on the list's origin. */
  readonly notice: (text: string) => void;
}

interface Kept {
  readonly from: string;
  readonly list: unknown;
}

/**
 * The provider's list of coins: one `GET /coins`, kept on disk for 24 hours. Throws an Error that says what the
 * provider answered, or which entry of the list is not right; nothing is kept then.
 */
export async function liveEntries(options: LiveOptions): Promise<RegistryEntry[]> {
  const { cacheFile, environment = process.env, now = Date.now, notice } = options;
  const parsed = parseEnvironment(environment);
  const baseUrl = baseUrlOf(parsed);
  const kept = await readKept(cacheFile, baseUrl, now());
  if (kept) {
    notice(`Using the provider's list of ${kept.fetchedAt.toISOString()}, kept for 24 hours in ${cacheFile}`);
    return parseEntries(kept.list);
  }
  notice(`Asking ${new URL(baseUrl).host} for its list of coins`);
  const list = await fetchList(parsed);
  const entries = parseEntries(list);
  await keep(cacheFile, { from: baseUrl, list });
  return entries;
}

/** Asks once. Throws an Error that says what the provider answered. */
async function fetchList(environment: Environment): Promise<unknown> {
  const baseUrl = baseUrlOf(environment);
  const key = environment.COINPAPRIKA_API_KEY;
  const { host } = new URL(baseUrl);
  const request = { headers: key ? { authorization: key } : {}, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const response = await fetch(`${baseUrl.replace(/\/$/, '')}/coins`, request).catch((error: unknown) => {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    const reason = isTimeout ? `did not answer within ${TIMEOUT_MS / 1000} s` : 'cannot be reached';
    throw new Error(`The provider ${host} ${reason}`, { cause: error });
  });
  if (!response.ok) throw new Error(`The provider ${host} answered ${response.status} to GET /coins`);
  return response.json().catch((error: unknown) => {
    throw new Error(`The provider ${host} did not answer JSON to GET /coins`, { cause: error });
  });
}

async function readKept(
  file: string,
  from: string,
  now: number,
): Promise<{ list: unknown; fetchedAt: Date } | undefined> {
  try {
    const { mtime } = await stat(file);
    if (now - mtime.getTime() >= KEEP_MS) return undefined;
    const kept: Kept = JSON.parse(await readFile(file, 'utf8'));
    return kept.from === from ? { list: kept.list, fetchedAt: mtime } : undefined;
  } catch {
    return undefined; // absent or not readable: the provider is asked again
  }
}

async function keep(file: string, kept: Kept): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(kept));
  await rename(`${file}.new`, file);
}
