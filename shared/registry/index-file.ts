import { CHECKSUM_BYTES, CHECKSUM_STEP, CheckedMemory } from './checksum.ts';
import { RegistryError } from './error.ts';
import {
  CHECKSUM_OFFSET,
  FORMAT_VERSION,
  type lookupSections,
  MAGIC,
  PRELUDE_BYTES,
  type Sections,
  SIZE_OFFSET,
  type searchSections,
  VERSION_OFFSET,
} from './format.ts';

/** Far beyond any index, and below what WebAssembly gives. */
const MAX_BYTES = 2 ** 30;

/** Single bytes as a Buffer, which decodes text. */
type View<Bytes> = Bytes extends 1 ? Buffer : Bytes extends 2 ? Uint16Array : Uint32Array;

/** The sections of an opened part as views over its one buffer. */
type Part<Layout extends Sections> = { readonly [Name in keyof Layout]: View<Layout[Name]> };

/** What lookups need. */
export type LookupIndex = Part<typeof lookupSections>;
/** What the fuzzy search needs. */
export type SearchIndex = LookupIndex & Part<typeof searchSections>;

/**
 * Reads a part of `size` bytes, which `fill` puts into the memory it is given, and checks all of it. Decodes nothing.
 * Throws RegistryError with `label` and the reason for whatever is not a whole part of a version known here with the
 * given checksum.
 */
export function readPart<Layout extends Sections>(
  label: string,
  layout: Layout,
  { size, checksum }: { readonly size: number; readonly checksum: string },
  fill: (memory: Uint8Array) => void,
): Part<Layout> {
  const refuse = (reason: string): never => {
    throw new RegistryError(`Registry index ${label}: ${reason}`);
  };
  if (size < PRELUDE_BYTES) refuse(`only ${size} bytes, too short to be an index`);
  if (size > MAX_BYTES) refuse(`${size} bytes, too long to be an index`);
  const memory = new CheckedMemory(size);
  const { file } = memory;
  fill(file);
  const prelude = Buffer.from(file.buffer, file.byteOffset, PRELUDE_BYTES);
  checkPrelude(prelude, size, refuse);
  const found = memory.checksum(PRELUDE_BYTES);
  if (found !== prelude.toString('hex', CHECKSUM_OFFSET, CHECKSUM_OFFSET + CHECKSUM_BYTES))
    refuse('corrupted (wrong checksum)');
  if (found !== checksum) refuse('not the one that its manifest describes');
  return views(file, layout);
}

function checkPrelude(prelude: Buffer, size: number, refuse: (reason: string) => never): void {
  if (MAGIC.some((byte, index) => prelude[index] !== byte)) refuse('not a registry index (wrong signature)');
  const version = prelude.readUInt32LE(VERSION_OFFSET);
  if (version !== FORMAT_VERSION) {
    const advice = version > FORMAT_VERSION ? 'deploy newer functions' : 'build it anew';
    refuse(`format version ${version}, this reader knows version ${FORMAT_VERSION}: ${advice}`);
  }
  const promised = prelude.readUInt32LE(SIZE_OFFSET);
  if (promised !== size || size % CHECKSUM_STEP !== 0)
    refuse(`${size} bytes where its header says ${promised}`);
}

/** After the prelude: where each section starts and how many bytes it has, two 32-bit numbers for each. */
function views<Layout extends Sections>(file: Uint8Array<ArrayBuffer>, layout: Layout): Part<Layout> {
  const { buffer, byteOffset } = file;
  const found: Record<string, Uint8Array | Uint16Array | Uint32Array> = {};
  const table = new Uint32Array(buffer, byteOffset + PRELUDE_BYTES);
  let at = 0;
  for (const name in layout) {
    const start = byteOffset + (table[at++] ?? 0);
    const width = layout[name] ?? 1;
    const length = (table[at++] ?? 0) / width;
    if (width === 1) found[name] = Buffer.from(buffer, start, length);
    else found[name] = new (width === 2 ? Uint16Array : Uint32Array)(buffer, start, length);
  }
  return found as Part<Layout>; // one view for each name, of the width that the layout gives it
}
