/**
 * One service at a time owns a folder of the store: two would overwrite each other's objects, and other programs would
 * find only the one that started last. A file in the folder names the owner.
 */
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../shared/platform/whole-file.ts';
import { isListening } from './loopback.ts';

/** A service's shared table: its server's address and its name there. */
export interface LocalTable {
  readonly dynamoDb: string;
  readonly table: string;
}

interface StoreOwner extends Partial<LocalTable> {
  readonly pid: number;
  /** Its address. */
  readonly url: string;
  /** The store's address, as S3; undefined until it is open. */
  readonly s3?: string | undefined;
}

const fileIn = (folder: string) => join(folder, 'owner.json');

/** The service that owns the folder; undefined if there is none, or its process has died. */
export function ownerOf(folder: string): StoreOwner | undefined {
  const owner = parsed(contentOf(fileIn(folder)));
  return owner && isAlive(owner.pid) ? owner : undefined;
}

/** Throws an Error that names the folder's owner, if there is one. */
export async function refuseUsed(folder: string): Promise<void> {
  const owner = ownerOf(folder);
  // A dead process's number may be in use again, but then nothing listens at the address.
  if (owner && (await isListening(owner.url)))
    throw new Error(
      `The store ${folder} is in use by process ${owner.pid}, which serves ${owner.url}. Stop that process, or choose another folder with --store, or --no-store.`,
    );
}

/**
 * Takes the folder for the service at an address, which already listens, and returns functions that record its servers'
 * addresses and release the folder. Throws an Error if another service owns it; a dead owner's file is replaced.
 */
export async function takeStore(folder: string, url: string) {
  mkdirSync(folder, { recursive: true });
  const file = fileIn(folder);
  const own = `${file}.${process.pid}-${new URL(url).port}`;
  removeUnfinished(folder);
  for (let isTaken = false; !isTaken; ) {
    const before = contentOf(file);
    await refuseUsed(folder);
    // Not what another starting service has put there meanwhile.
    if (before !== undefined && contentOf(file) === before) rmSync(file);
    isTaken = isCreated(file, JSON.stringify({ pid: process.pid, url }), own);
  }
  return {
    note(servers: Partial<StoreOwner>) {
      writeWhole(file, JSON.stringify({ pid: process.pid, url, ...servers }), own);
    },
    release: () => rmSync(file, { force: true }),
  };
}

/** Removes the unfinished files of processes that have died. */
function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^owner\.json\.(\d+)-\d+$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

/** Creates the file with its content atomically, by linking another one. False if it exists. */
function isCreated(file: string, content: string, unfinished: string): boolean {
  try {
    writeFileSync(unfinished, content);
    linkSync(unfinished, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function parsed(content = ''): StoreOwner | undefined {
  try {
    const { pid, url, s3, dynamoDb, table }: Record<string, unknown> = JSON.parse(content);
    if (typeof pid !== 'number' || typeof url !== 'string') return undefined;
    const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
    return { pid, url, s3: textOf(s3), dynamoDb: textOf(dynamoDb), table: textOf(table) };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // another user's process
  }
}
