/** Objects of the local S3 in files, which survive its process. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { writeWhole } from '../shared/platform/whole-file.ts';

/**
 * Objects by `/<bucket>/<key>`, percent-encoded as in a URL; a `Map` qualifies. Every call completes before it returns,
 * so a put that checks the existing object before it writes is atomic.
 */
export interface StoredObjects extends Iterable<[string, Buffer]> {
  get(path: string): Buffer | undefined;
  set(path: string, content: Buffer): unknown;
  /** Deleting a missing object is not an error. */
  delete(path: string): unknown;
  /** May be limited to names with this prefix. */
  keys(beginning?: string): Iterable<string>;
  /** The versions by name, newest first; undefined if versions are not kept. */
  versions?(beginning: string): Iterable<ObjectVersion>;
}

export interface ObjectVersion {
  readonly path: string;
  readonly id: string;
  readonly isLatest: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Undefined: it was deleted at that time. */
  readonly content: Buffer | undefined;
}

/** Encoded names contain no plus sign. */
const PART_ENDS = '+';
/** File systems allow 255 bytes. */
const PART_LENGTH = 200;
const UNFINISHED = `${PART_ENDS}unfinished`;

/**
 * A folder for each part of a name, a file for each object. A put is atomic, even if the process dies: it is written
 * under another name and then renamed, and what a killed process has not finished is removed at the next start. Unlike in S3, a key cannot be a folder of another key. Throws file system
 * errors.
 */
export class ObjectFolder implements StoredObjects {
  readonly folder: string;
  #puts = 0;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    rmSync(join(folder, UNFINISHED), { recursive: true, force: true });
  }

  get(path: string): Buffer | undefined {
    try {
      return readFileSync(this.#fileOf(path));
    } catch (error) {
      if (isOneOf(error, ['ENOENT', 'ENOTDIR', 'EISDIR'])) return undefined;
      throw error;
    }
  }

  set(path: string, content: Buffer): void {
    const file = this.#fileOf(path);
    const unfinished = join(this.folder, UNFINISHED, `${process.pid}-${this.#puts++}`);
    for (const name of [file, unfinished]) mkdirSync(dirname(name), { recursive: true });
    writeWhole(file, content, unfinished);
  }

  delete(path: string): void {
    try {
      rmSync(this.#fileOf(path));
    } catch (error) {
      if (!isOneOf(error, ['ENOENT', 'ENOTDIR', 'EISDIR', 'ERR_FS_EISDIR'])) throw error;
    }
  }

  *keys(beginning = '/'): Iterable<string> {
    yield* this.#filesIn(this.#fileOf(beginning.slice(0, beginning.lastIndexOf('/'))));
  }

  *[Symbol.iterator](): Iterator<[string, Buffer]> {
    for (const path of this.keys()) {
      const content = this.get(path);
      if (content) yield [path, content];
    }
  }

  *#filesIn(folder: string): Iterable<string> {
    for (const entry of entriesOf(folder)) {
      const file = join(folder, entry.name);
      if (!entry.isDirectory()) yield pathOf(relative(this.folder, file));
      else if (entry.name !== UNFINISHED) yield* this.#filesIn(file);
    }
  }

  #fileOf(path: string): string {
    return join(this.folder, ...path.split('/').flatMap((name) => partsOf(fileName(name))));
  }
}

/** The name of a bucket's or an object's file, in lower case: not every file system distinguishes case. */
function fileName(name: string): string {
  return encodeURIComponent(decodeURIComponent(name)).replace(/%..|[A-Z]/g, (text) =>
    text.length > 1 ? text.toLowerCase() : `%${text.charCodeAt(0).toString(16)}`,
  );
}

function partsOf(name: string): string[] {
  const parts = name.match(new RegExp(`.{1,${PART_LENGTH}}`, 'g')) ?? [];
  return parts.map((part, index) => (index < parts.length - 1 ? part + PART_ENDS : part));
}

function pathOf(file: string): string {
  const names = file.split(sep).join('/').replaceAll(`${PART_ENDS}/`, '').split('/');
  return `/${names.map((name) => encodeURIComponent(decodeURIComponent(name))).join('/')}`;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isOneOf(error, ['ENOENT', 'ENOTDIR'])) return [];
    throw error;
  }
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
