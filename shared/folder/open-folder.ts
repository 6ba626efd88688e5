/** A server's folder: its lock, its database, and the drivers that read and write in it. */
import { existsSync, mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../platform/message-of.ts';
import { type Objects, useObjects } from '../platform/objects.ts';
import { useTables } from '../platform/open-table.ts';
import { openDatabase } from './database.ts';
import { folderObjects } from './objects.ts';
import { sqliteTable } from './table.ts';

const DATABASE = 'server.db';
const SQLITE_BUSY = 5;
/** NFS, SMB and CIFS by their numbers in statfs(2): their locks do not end with a process. */
const NETWORK_FILE_SYSTEMS = new Set([0x6969, 0xff534d42, 0xfe534d42, 0x517b]);

/** The folder is in use by another process, or its locks cannot be trusted. The message says what to do. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable';
}

export interface ServerFolder {
  readonly path: string;
  readonly database: DatabaseSync;
  objects(prefix: string): Objects;
  /** Whether there is an object with this whole name. */
  has(name: string): boolean;
  /** Removes what killed processes have left. */
  sweep(): Promise<number>;
  close(): void;
}

/** Snapshots, quotes and their like are made anew within ten minutes. */
function isBrief(name: string): boolean {
  return /^(snapshot|sources)\//.test(name);
}

/** Opens a folder for any process: the server, one of its workers, or a tool. Throws FolderUnusable, and the file system's errors. */
export function openFolder(path: string): ServerFolder {
  mkdirSync(path, { recursive: true });
  if (NETWORK_FILE_SYSTEMS.has(statfsSync(path).type))
    throw new FolderUnusable(
      `${path} is on a network file system, whose locks are not reliable: use a local one`,
    );
  const database = openDatabase(join(path, DATABASE));
  const objects = folderObjects({ database, folder: join(path, 'objects'), isBrief });
  return {
    path,
    database,
    objects: objects.below,
    has: objects.has,
    sweep: objects.sweep,
    close: () => database.close(),
  };
}

/** Makes all code of this process use the folder in place of AWS. Has to come before the first handler. */
export function useFolder({ objects, database }: ServerFolder, opened = objects): void {
  const table = sqliteTable(database);
  useObjects((_bucket, prefix) => opened(prefix));
  useTables(() => table);
}

/** Whether a server has, or had, its data there. */
export function isServerFolder(path: string): boolean {
  return existsSync(join(path, DATABASE));
}

/** Whether a server runs on it. */
export function isInUse(path: string): boolean {
  try {
    lockFolder(path)();
    return false;
  } catch (error) {
    if (error instanceof FolderUnusable && isBusy(error.cause)) return true;
    throw error;
  }
}

/**
 * Takes the folder for one server, until the returned function is called or this process ends, however it ends. Throws
 * FolderUnusable if another server has it, or it cannot be written.
 */
export function lockFolder(path: string): () => void {
  let lock: DatabaseSync | undefined;
  try {
    mkdirSync(path, { recursive: true });
    lock = new DatabaseSync(join(path, 'lock.db'));
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;');
    lock.exec('CREATE TABLE IF NOT EXISTS lock (pid INTEGER)');
  } catch (cause) {
    lock?.close();
    throw new FolderUnusable(
      isBusy(cause)
        ? `Another server uses ${path}: stop it, or give this one another folder`
        : `${path} cannot be written (${messageOf(cause)}): make room there, or give another folder with --store`,
      { cause },
    );
  }
  const held = lock;
  return () => held.close();
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
