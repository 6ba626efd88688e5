/** An S3 bucket in files, for processes of which one at a time writes an object: none of them has its content in memory. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HistoryBucket } from '../../functions/marketdata/jobs/history-store.ts';
import { ConditionFailed } from '../../shared/platform/publish-object.ts';

export interface Traffic {
  gets: number;
  puts: number;
  lists: number;
  bytesRead: number;
  bytesWritten: number;
}

export interface FileBucket extends HistoryBucket {
  /** Since the bucket was opened. */
  readonly traffic: Traffic;
  /** The object's bytes; undefined if there is none. */
  read(name: string): Buffer | undefined;
  write(name: string, content: Uint8Array | string): void;
  /** Of a folder, which ends with a slash; ascending. */
  names(folder: string): string[];
  /** All objects that begin so. */
  remove(beginning: string): void;
}

/** Names are those of the history with ids of plain letters, which every file system takes. */
export function fileBucket(folder: string): FileBucket {
  const traffic = { gets: 0, puts: 0, lists: 0, bytesRead: 0, bytesWritten: 0 };
  const fileOf = (name: string) => join(folder, name);
  const folders = new Set<string>();

  function read(name: string): Buffer | undefined {
    try {
      return readFileSync(fileOf(name));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  function write(name: string, content: Uint8Array | string): void {
    const file = fileOf(name);
    const parent = dirname(file);
    if (!folders.has(parent)) mkdirSync(parent, { recursive: true });
    folders.add(parent);
    writeFileSync(file, content);
    traffic.bytesWritten += content.length;
  }

  const names = (beginning: string) => filesIn(fileOf(beginning)).map((file) => beginning + file);

  function get(name: string): { bytes: Buffer; etag: string | undefined } {
    traffic.gets += 1;
    const bytes = read(name);
    if (bytes) return { bytes, etag: etagOf(fileOf(name)) };
    const error = new Error('The specified key does not exist.');
    error.name = 'NoSuchKey';
    throw error;
  }

  return {
    traffic,
    read,
    write,
    names,
    remove: (beginning) => rmSync(fileOf(beginning), { recursive: true, force: true }),
    objects: {
      async get(name) {
        const object = get(name);
        traffic.bytesRead += object.bytes.length;
        return object;
      },
      async getRange(name, [first, last]) {
        const { bytes, etag } = get(name);
        const part = bytes.subarray(first, last + 1);
        traffic.bytesRead += part.length;
        return { bytes: part, etag };
      },
    },
    async put(name, content, _contentType, condition) {
      traffic.puts += 1;
      const before = condition && etagOf(fileOf(name));
      const isMet = !condition || ('ifMatch' in condition ? before === condition.ifMatch : !before);
      if (!isMet) throw new ConditionFailed(`${name} was changed by somebody else meanwhile`);
      write(name, content);
    },
    async list(beginning) {
      traffic.lists += 1;
      return names(beginning);
    },
  };
}

/** Changes with every write; undefined if there is no such file. */
function etagOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found && `${found.mtimeNs}-${found.size}`;
}

/** Ascending. The names of a day's samples are asked for, which have a folder of their own. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
