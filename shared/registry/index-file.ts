import { CHECKSUM_STEP, CheckedMemory } from './checksum.ts';
import { RegistryError } from './error.ts';
import {
  CHECKSUM_OFFSET,
  FORMAT_VERSION,
  MAGIC,
  PRELUDE_BYTES,
  type SectionName,
  SIZE_OFFSET,
  sections,
  VERSION_OFFSET,
} from './format.ts';

type View<Bytes> = Bytes extends 1 ? Uint8Array : Bytes extends 2 ? Uint16Array : Uint32Array;
type Views = { readonly [Name in SectionName]: View<(typeof sections)[Name]> };

/** The sections of an opened index as views over its one buffer. */
export interface IndexFile extends Views {
  /** All of the file, for decoding text at byte positions. */
  readonly bytes: Buffer;
  readonly checksum: string;
}

/**
 * Reads an index of `size` bytes, with `fill` putting it into the memory it is given, and checks all of it. Decodes
 * nothing. Throws RegistryError with `label` and the reason for whatever is not a whole index of a version known here.
 */
export function readIndex(label: string, size: number, fill: (file: Uint8Array) => void): IndexFile {
  const refuse = (reason: string): never => {
    throw new RegistryError(`Registry index ${label}: ${reason}`);
  };
  if (size < PRELUDE_BYTES) refuse(`only ${size} bytes, too short to be an index`);
  const memory = new CheckedMemory(size);
  const { file } = memory;
  fill(file);
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);

  if (MAGIC.some((byte, index) => file[index] !== byte)) refuse('not a registry index (wrong signature)');
  const version = bytes.readUInt32LE(VERSION_OFFSET);
  if (version !== FORMAT_VERSION) {
    const known = `this reader knows version ${FORMAT_VERSION}`;
    refuse(
      `format version ${version}, ${known}: ${version > FORMAT_VERSION ? 'deploy newer functions' : 'build it anew'}`,
    );
  }
  const promised = bytes.readUInt32LE(SIZE_OFFSET);
  if (promised !== size || size % CHECKSUM_STEP !== 0)
    refuse(`${size} bytes where its header says ${promised}`);
  memory.add(PRELUDE_BYTES, size);
  const checksum = memory.checksum();
  if (checksum !== bytes.toString('hex', CHECKSUM_OFFSET, PRELUDE_BYTES))
    refuse('corrupted (wrong checksum)');

  return { ...views(file), bytes, checksum };
}

/** After the prelude: where each section starts and how many bytes it has, two 32-bit numbers for each. */
function views({ buffer, byteOffset }: Uint8Array<ArrayBuffer>): Views {
  const names = Object.keys(sections) as SectionName[];
  const table = new Uint32Array(buffer, byteOffset + PRELUDE_BYTES, names.length * 2);
  const found = names.map((name, index) => {
    const start = byteOffset + (table[index * 2] ?? 0);
    const bytes = table[index * 2 + 1] ?? 0;
    const width = sections[name];
    if (width === 1) return [name, new Uint8Array(buffer, start, bytes)];
    if (width === 2) return [name, new Uint16Array(buffer, start, bytes / 2)];
    return [name, new Uint32Array(buffer, start, bytes / 4)];
  });
  return Object.fromEntries(found) as Views; // one view for each name, of the width that `sections` gives it
}
