import { CHECKSUM_BYTES, CHECKSUM_STEP, CheckedMemory } from './checksum.ts';
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

/** Far beyond any index, and below what WebAssembly gives. */
const MAX_BYTES = 2 ** 30;

type View<Bytes> = Bytes extends 1 ? Uint8Array : Bytes extends 2 ? Uint16Array : Uint32Array;
type Views = { readonly [Name in SectionName]: View<(typeof sections)[Name]> };

/** The sections of an opened index as views over its one buffer. */
export interface IndexFile extends Views {
  /** All of the file, for decoding text at byte positions. */
  readonly bytes: Buffer;
  readonly checksum: string;
}

/** Read and checked in one turn, while the bytes are still in the processor's cache: the sums then take half as long. */
const CHUNK_BYTES = 2 ** 20;

/**
 * Reads an index of `size` bytes, with `fill` putting those from a position on into the memory it is given, and
 * checks all of it. Decodes nothing. Throws RegistryError with `label` and the reason for whatever is not a whole
 * index of a version known here.
 */
export function readIndex(
  label: string,
  size: number,
  fill: (memory: Uint8Array, position: number) => void,
): IndexFile {
  const refuse = (reason: string): never => {
    throw new RegistryError(`Registry index ${label}: ${reason}`);
  };
  if (size < PRELUDE_BYTES) refuse(`only ${size} bytes, too short to be an index`);
  if (size > MAX_BYTES) refuse(`${size} bytes, too long to be an index`);
  const memory = new CheckedMemory(size);
  const { file } = memory;
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const end = Math.min(size, at + CHUNK_BYTES);
    fill(file.subarray(at, end), at);
    if (at === 0) checkPrelude(bytes, size, refuse);
    memory.add(Math.max(at, PRELUDE_BYTES), end);
  }
  const checksum = memory.checksum();
  if (checksum !== bytes.toString('hex', CHECKSUM_OFFSET, CHECKSUM_OFFSET + CHECKSUM_BYTES))
    refuse('corrupted (wrong checksum)');
  return Object.assign(views(file), { bytes, checksum });
}

function checkPrelude(bytes: Buffer, size: number, refuse: (reason: string) => never): void {
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) refuse('not a registry index (wrong signature)');
  const version = bytes.readUInt32LE(VERSION_OFFSET);
  if (version !== FORMAT_VERSION) {
    const advice = version > FORMAT_VERSION ? 'deploy newer functions' : 'build it anew';
    refuse(`format version ${version}, this reader knows version ${FORMAT_VERSION}: ${advice}`);
  }
  const promised = bytes.readUInt32LE(SIZE_OFFSET);
  if (promised !== size || size % CHECKSUM_STEP !== 0)
    refuse(`${size} bytes where its header says ${promised}`);
}

/** After the prelude: where each section starts and how many bytes it has, two 32-bit numbers for each. */
function views({ buffer, byteOffset }: Uint8Array<ArrayBuffer>): Views {
  const found: Partial<Record<SectionName, Uint8Array | Uint16Array | Uint32Array>> = {};
  const table = new Uint32Array(buffer, byteOffset + PRELUDE_BYTES);
  let at = 0;
  for (const name in sections) {
    const start = byteOffset + (table[at++] ?? 0);
    const width = sections[name as SectionName];
    const length = (table[at++] ?? 0) / width;
    const View = width === 1 ? Uint8Array : width === 2 ? Uint16Array : Uint32Array;
    found[name as SectionName] = new View(buffer, start, length);
  }
  return found as Views; // one view for each name, of the width that `sections` gives it
}
