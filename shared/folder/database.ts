/** The one SQLite file of a server: the shared table, and the catalogue of its objects. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Other threads and tools write to the same file; a change takes milliseconds. */
const BUSY_MS = 5_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS rows (
    key TEXT PRIMARY KEY, content TEXT NOT NULL, expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS objects (
    name TEXT PRIMARY KEY, etag TEXT NOT NULL, size INTEGER NOT NULL, put_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Opens the file, or one in memory for `:memory:`. A committed change survives a power cut (WAL, `synchronous=FULL`). Throws
 * SQLite's errors.
 */
export function openDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec(SCHEMA);
  return database;
}

/** Runs `work` in one transaction that takes the write lock at once; anything thrown undoes it. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk ends the transaction by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
