/**
 * The snapshot file, little-endian: this header; for each row, and once more for the end, where its text begins
 * (32 bits, from the start of the file); the texts, each the JSON of one ticker in UTF-8, `id` first, ordered by the
 * bytes of what `rowKey` gives. A row is found by binary search and is the only thing that is ever parsed. A row kept
 * from an earlier snapshot has `carriedFrom` besides: when that one was taken.
 */
export const FORMAT_VERSION = 2;

/** As PNG does it: a byte that is not ASCII and both line endings show a file damaged in transfer. */
export const MAGIC = Buffer.from([0x89, 0x54, 0x49, 0x43, 0x4b, 0x0d, 0x0a, 0x1a]);

export const at = {
  version: 8,
  /** Of the whole file, in bytes. */
  size: 12,
  /** CRC-32 (zlib) of everything behind it. */
  checksum: 16,
  rows: 20,
  /** When the provider made the answer: milliseconds since the epoch, a double. */
  takenAt: 24,
  /** Seconds until the next one is due. */
  interval: 32,
  /** The source's name in ASCII, filled up with zero bytes. */
  source: 36,
} as const;
const CHECKED_FROM = 20;
export const SOURCE_BYTES = 28;
export const HEADER_BYTES = 64;

/** The beginning of the text of the row with this id; no key is the beginning of another. */
export function rowKey(id: string): Buffer {
  return Buffer.from(`{"id":${JSON.stringify(id)},`);
}

/** Loaded when it is needed: at a cold start it would cost 2 ms. */
export function checksumOf(bytes: Uint8Array): number {
  return process.getBuiltinModule('node:zlib').crc32(bytes.subarray(CHECKED_FROM));
}
