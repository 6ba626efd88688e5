import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../platform/message-of.ts';
import {
  FORMAT_VERSION,
  MANIFEST_NAME,
  parseManifest,
  RegistryError,
  type RegistryManifest,
} from './manifest.ts';

// The layout, which the builder shares with the reader; registry-layer/FORMAT.md explains it.

/** A signature as in PNG: a byte beyond ASCII and both line endings reveal a file damaged in transfer. */
export const MAGIC = [0x89, 0x43, 0x4f, 0x49, 0x4e, 0x0d, 0x0a, 0x1a] as const;

export const VERSION_OFFSET = 8;
export const SIZE_OFFSET = 12;
export const HEADER_BYTES = 16;

/** Sections start at multiples of the widest element, as typed arrays need it. */
export const ALIGNMENT = 4;

/** The sections of the first part, in their order, with the bytes of one element. All but the fuzzy search needs it. */
export const lookupSections = {
  counts: 4,
  textStarts: 4,
  textLengths: 2,
  text: 1,
  flags: 1,
  ranks: 4,
  idSlots: 4,
  symbolSlots: 4,
  rowsBySymbol: 4,
} as const satisfies Sections;

/** The sections of the second part, which only the fuzzy search needs. */
export const searchSections = {
  nameLetters: 1,
  termStarts: 4,
  termBytes: 1,
  termSignatures: 4,
  termText: 1,
  termsByEnd: 4,
  suffixes: 4,
  termPostings: 4,
  postings: 4,
} as const satisfies Sections;

export type Sections = Readonly<Record<string, 1 | 2 | 4>>;

/** Bits of the `flags` of a row. */
export const flag = { active: 1, token: 2, isNew: 4 } as const;

/** Where a term occurs in an entry, strongest first: the low two bits of a posting. Above them the row. */
export const place = { symbol: 0, name: 1, word: 2, idWord: 3 } as const;
export const PLACE_BITS = 2;

/** Low bits of a slot: part of the key's hash, so that few wrong rows are decoded. Above them the position + 1. */
export const FINGERPRINT_BITS = 8;
export const MAX_ROWS = 2 ** (32 - FINGERPRINT_BITS) - 2;

/**
 * Set on the last element of each list in `rowsBySymbol` and `postings`. In `termPostings` it marks the only posting of
 * a term; other terms have the start of their list there.
 */
export const LAST = 0x80000000;

/** Low bits of a suffix: its start in its term, in bytes; above them the term. */
export const SUFFIX_OFFSET_BITS = 8;
export const MAX_TERM_BYTES = 2 ** SUFFIX_OFFSET_BITS - 1;
export const MAX_TERMS = 2 ** (32 - SUFFIX_OFFSET_BITS);

/** Single bytes as a Buffer, which decodes text. */
type View<Bytes> = Bytes extends 1 ? Buffer : Bytes extends 2 ? Uint16Array : Uint32Array;

type Part<Layout extends Sections> = { readonly [Name in keyof Layout]: View<Layout[Name]> };

export type LookupIndex = Part<typeof lookupSections>;
export type SearchIndex = LookupIndex & Part<typeof searchSections>;

export interface IndexFile {
  readonly manifest: RegistryManifest;
  readonly lookup: LookupIndex;
  /** Throws RegistryError if the search's part cannot be read. */
  readonly readSearch: () => SearchIndex;
}

/**
 * Opens the index in a folder and reads its first part; `readSearch` reads the second. A deployed file does not change,
 * so only sizes, signature, version and structure are checked. Throws RegistryError.
 */
export function openIndex(folder: string): IndexFile {
  const manifestPath = join(folder, MANIFEST_NAME);
  const text = reading(manifestPath, () => readFileSync(manifestPath, 'utf8'));
  const manifest = parseManifest(manifestPath, text);
  const path = join(folder, manifest.index);
  return open(path, manifest, (start, length) =>
    reading(path, () => readBytes(path, manifest, start, length)),
  );
}

/** Opens a fetched index: checks it against the manifest's SHA-256 and reads both parts. Throws RegistryError. */
export function openIndexBytes(bytes: Uint8Array, manifest: RegistryManifest): IndexFile {
  checkSize(manifest.index, manifest, bytes.length);
  const { hash } = process.getBuiltinModule('node:crypto'); // loaded for a refresh, not at a cold start
  if (hash('sha256', bytes) !== manifest.sha256)
    refuse(manifest.index, 'its SHA-256 is not the one in its manifest');
  const opened = open(manifest.index, manifest, (start, length) => {
    const copy = new Uint8Array(bytes.subarray(start, start + length)); // at an aligned address, as views need it
    return Buffer.from(copy.buffer);
  });
  const search = opened.readSearch();
  return { ...opened, readSearch: () => search };
}

function open(
  label: string,
  manifest: RegistryManifest,
  read: (start: number, length: number) => Buffer<ArrayBuffer>,
): IndexFile {
  const { lookupBytes, searchBytes } = manifest;
  const lookup = viewsOf(label, lookupSections, read(0, lookupBytes));
  checkCounts(label, lookup);
  const readSearch = () => ({ ...lookup, ...viewsOf(label, searchSections, read(lookupBytes, searchBytes)) });
  return { manifest, lookup, readSearch };
}

function readBytes(
  path: string,
  manifest: RegistryManifest,
  start: number,
  length: number,
): Buffer<ArrayBuffer> {
  const descriptor = openSync(path, 'r');
  try {
    checkSize(path, manifest, fstatSync(descriptor).size);
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; ) {
      const count = readSync(descriptor, bytes, at, length - at, start + at);
      if (count === 0) refuse(path, 'shorter than it was a moment ago');
      at += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

function checkSize(label: string, { lookupBytes, searchBytes }: RegistryManifest, size: number): void {
  const expected = lookupBytes + searchBytes;
  if (size !== expected) refuse(label, `${size} bytes, but its manifest says ${expected}`);
}

/** Loops over all rows rely on the counts, and would not end with billions of them. */
function checkCounts(label: string, { counts, flags, textLengths, textStarts }: LookupIndex): void {
  const [entries = 0, active = 0, ranked = 0] = counts;
  const rows = [flags.length, textLengths.length / 2, textStarts.length - 1];
  if (ranked > active || active > entries || rows.some((count) => count !== entries))
    refuse(label, 'its counts are not those of its sections');
}

/** Views of the sections, by the table after the header. Throws RegistryError for bytes that are no such part. */
function viewsOf<Layout extends Sections>(
  label: string,
  layout: Layout,
  bytes: Buffer<ArrayBuffer>,
): Part<Layout> {
  const { buffer, length: size } = bytes;
  const names = Object.keys(layout);
  if (size < HEADER_BYTES + names.length * 8) refuse(label, `a part of ${size} bytes is too short`);
  if (MAGIC.some((byte, index) => bytes[index] !== byte))
    refuse(label, 'not a registry index (wrong signature)');
  const version = bytes.readUInt32LE(VERSION_OFFSET);
  if (version !== FORMAT_VERSION)
    refuse(label, `format version ${version}, but its manifest says ${FORMAT_VERSION}`);
  const promised = bytes.readUInt32LE(SIZE_OFFSET);
  if (promised !== size) refuse(label, `a part of ${size} bytes, but its header says ${promised}`);

  const views: Record<string, Uint8Array | Uint16Array | Uint32Array> = {};
  const table = new Uint32Array(buffer, HEADER_BYTES, names.length * 2);
  names.forEach((name, index) => {
    const width = layout[name] ?? 1;
    const [start = 0, length = 0] = table.subarray(index * 2);
    if (start % width !== 0 || length % width !== 0 || start + length > size)
      refuse(label, `its section ${name} is not within it`);
    if (width === 1) views[name] = Buffer.from(buffer, start, length);
    else views[name] = new (width === 2 ? Uint16Array : Uint32Array)(buffer, start, length / width);
  });
  return views as Part<Layout>; // one view for each name, of the width that the layout gives it
}

function refuse(label: string, reason: string): never {
  throw new RegistryError(`Registry index ${label}: ${reason}`);
}

function reading<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    const reason = messageOf(error);
    throw new RegistryError(`Registry file ${path} cannot be read: ${reason}`, { cause: error });
  }
}
