/** Objects of the local S3 in files, so that they outlive its process. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/**
 * Objects by `/<bucket>/<key>`, percent-encoded as a URL has it; a `Map` is one. Every call is done when it returns, so
 * a put that looks at what is there before it writes is one step: nobody else's comes in between.
 */
export interface StoredObjects extends Iterable<[string, Buffer]> {
  get(path: string): Buffer | undefined;
  set(path: string, content: Buffer): unknown;
  delete(path: string): unknown;
  /** Perhaps no more than those that begin so. */
  keys(beginning?: string): Iterable<string>;
}

/** No encoded name has a plus sign. */
const PART_ENDS = '+';
/** File systems take 255 bytes. */
const PART_LENGTH = 200;
const UNFINISHED = `${PART_ENDS}unfinished`;

/**
 * A folder for each part of a name, a file for each object. A put is there whole or not at all, whenever the process
 * dies: it is written under another name, and then renamed. A key cannot be the folder of another one, as it can in S3.
 * Throws what the file system does.
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
    writeFileSync(unfinished, content);
    renameSync(unfinished, file);
  }

  delete(path: string): void {
    rmSync(this.#fileOf(path), { force: true });
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

/** Of a bucket's or an object's name, none of whose letters are large: not every file system tells them apart. */
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
