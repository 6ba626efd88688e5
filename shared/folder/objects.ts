/** Objects in a folder: their content in files, and in SQLite which file is an object's present content. */
import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Condition, Objects, StoredObject } from '../platform/objects.ts';
import { ConditionFailed, S3Error } from '../platform/s3-error.ts';
import { inTransaction } from './database.ts';

interface Options {
  readonly database: DatabaseSync;
  /** The folder of the files. */
  readonly folder: string;
  /**
   * Whether an object is made anew within minutes: then its file is not synced, because cards wear out, and one that a power cut
   * has emptied counts as missing.
   */
  readonly isBrief?: (name: string) => boolean;
}

interface Entry {
  readonly etag: string;
  readonly size: number;
}

/** File systems allow 255 bytes for a name. */
const PART_LENGTH = 180;
/** A content that is replaced while it is read is looked up again. */
const READ_ATTEMPTS = 5;

/**
 * Each content has a file of its own, named by its object and digest. A put writes the file, then commits one row that names it,
 * and then removes the file before: whatever a killed process leaves, each object has its old content or its new one. Throws the
 * errors of S3 for missing objects and conditions, and those of the file system and SQLite.
 */
export function folderObjects({ database, folder, isBrief = () => false }: Options) {
  const select = database.prepare('SELECT etag, size FROM objects WHERE name = ?');
  const upsert = database.prepare(
    'INSERT INTO objects VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET etag = excluded.etag, size = excluded.size, put_at = excluded.put_at',
  );
  const erase = database.prepare('DELETE FROM objects WHERE name = ?');
  const range = database.prepare('SELECT name FROM objects WHERE name >= ? AND name < ? ORDER BY name');
  const entryOf = (name: string): Entry | undefined => {
    const row = select.get(name);
    return row && { etag: String(row.etag), size: Number(row.size) };
  };
  const fileOf = (name: string, etag: string) => join(folder, `${pathOf(name)}@${etag.replaceAll('"', '')}`);

  /** Reads an object's present content. */
  async function read<T>(name: string, use: (file: string, entry: Entry) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const entry = entryOf(name);
      if (!entry) throw missing();
      try {
        return await use(fileOf(name, entry.etag), entry);
      } catch (error) {
        if (!isFileMissing(error)) throw error;
        if (entryOf(name)?.etag === entry.etag || attempt === READ_ATTEMPTS) throw missing();
      }
    }
  }

  async function get(name: string): Promise<StoredObject> {
    return read(name, async (file, { etag, size }) => {
      const bytes = await readFile(file);
      if (bytes.length !== size) throw missing();
      return { bytes, etag };
    });
  }

  async function put(name: string, content: Uint8Array | string, condition?: Condition): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
    const file = fileOf(name, etag);
    for (;;) {
      const isNew = await writeNew(file, bytes, !isBrief(name));
      try {
        const outcome = inTransaction(database, () => {
          const known = entryOf(name);
          if (!isMet(condition, known))
            throw new ConditionFailed(`${name} was changed by somebody else meanwhile`);
          // Another writer has removed this very content as what was there before its own.
          if (!existsSync(file)) return undefined;
          upsert.run(name, etag, bytes.length, Date.now());
          return { known };
        });
        if (!outcome) continue;
        removeUnless(name, outcome.known);
        return;
      } catch (error) {
        if (isNew) removeUnless(name, { etag, size: bytes.length });
        throw error;
      }
    }
  }

  /** Removes the file of a content unless it is the object's again. */
  function removeUnless(name: string, content: Entry | undefined): void {
    if (!content) return;
    inTransaction(database, () => {
      if (entryOf(name)?.etag !== content.etag) rmSync(fileOf(name, content.etag), { force: true });
    });
  }

  async function remove(name: string, etag: string): Promise<void> {
    const before = inTransaction(database, () => {
      const known = entryOf(name);
      if (known && known.etag !== etag)
        throw new ConditionFailed(`${name} was changed by somebody else meanwhile`);
      if (known) erase.run(name);
      return known;
    });
    removeUnless(name, before);
  }

  return {
    has: (name: string) => entryOf(name) !== undefined,
    /** The objects whose names begin with this prefix. */
    below(prefix: string): Objects {
      return {
        get: (name) => get(prefix + name),
        getRange: (name, [first, last], _signal, heldEtag) =>
          read(prefix + name, async (file, { etag, size }) => {
            if (etag === heldEtag) return undefined;
            if (first >= size) throw new S3Error(416, 'InvalidRange');
            const handle = await open(file);
            try {
              const bytes = Buffer.alloc(Math.min(last + 1, size) - first);
              const { bytesRead } = await handle.read(bytes, 0, bytes.length, first);
              if (bytesRead !== bytes.length) throw missing();
              return { bytes, etag };
            } finally {
              await handle.close();
            }
          }),
        getNewer: async (name, etag) => {
          const known = entryOf(prefix + name);
          return known && known.etag === etag ? undefined : get(prefix + name);
        },
        put: (name, content, _type, condition) => put(prefix + name, content, condition),
        remove: (name, etag) => remove(prefix + name, etag),
        list: async (beginning) => {
          const from = prefix + beginning;
          return range.all(from, `${from}\u{10ffff}`).map(({ name }) => String(name).slice(prefix.length));
        },
      };
    },
    /** Removes the files that no object names, which killed processes have left. Nobody may write meanwhile. */
    async sweep(): Promise<number> {
      const named = new Set(
        database
          .prepare('SELECT name, etag FROM objects')
          .all()
          .map(({ name, etag }) => fileOf(String(name), String(etag))),
      );
      const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      const left = files
        .filter((file) => file.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((file) => !named.has(file));
      for (const file of left) rmSync(file, { force: true });
      return left.length;
    },
  };
}

/** Writes a file that does not exist yet; false if it does, with this content. Leaves nothing behind if that fails. */
async function writeNew(file: string, bytes: Uint8Array, isSynced: boolean): Promise<boolean> {
  if (existsSync(file)) return false;
  const unfinished = `${file}.${process.pid}-${crypto.randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(unfinished, 'wx');
    try {
      await handle.writeFile(bytes);
      if (isSynced) await handle.sync();
    } finally {
      await handle.close();
    }
    renameSync(unfinished, file);
    if (isSynced) await syncFolder(dirname(file));
    return true;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** After that a power cut cannot lose the new name. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

function missing(): S3Error {
  return new S3Error(404, 'NoSuchKey');
}

/** Whether an error says that there is no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3Error && error.name === 'NoSuchKey';
}

function isMet(condition: Condition | undefined, known: Entry | undefined): boolean {
  if (!condition) return true;
  return 'ifMatch' in condition ? known?.etag === condition.ifMatch : known === undefined;
}

function isFileMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** A path of lower-case ASCII: not every file system distinguishes case or has all characters. Long parts end with a plus sign. */
function pathOf(name: string): string {
  const encoded = (character: string) => `%${character.charCodeAt(0).toString(16)}`;
  const partOf = (part: string) =>
    encodeURIComponent(part)
      .replace(/%[\dA-F]{2}|[A-Z~!'()*]/g, (text) => (text.length > 1 ? text.toLowerCase() : encoded(text)))
      .replace(/^\.+$/, (dots) => encoded('.').repeat(dots.length));
  return name
    .split('/')
    .map(
      (part) =>
        partOf(part)
          .match(new RegExp(`.{1,${PART_LENGTH}}`, 'g'))
          ?.join('+/') ?? '%',
    )
    .join('/');
}
