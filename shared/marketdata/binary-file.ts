/**
 * The header that our binary files begin with, little-endian, 64 bytes: signature (8 bytes), format version (32 bits),
 * bytes of the whole file (32), CRC-32 (zlib) of everything behind this field (32), rows (32), a time in milliseconds
 * since the epoch (double), a length in seconds (32), a name in ASCII filled up with zero bytes (28). What the last
 * three are, and what follows, is each format's own.
 */
export interface FileHeader {
  readonly rows: number;
  readonly time: number;
  readonly seconds: number;
  /** ASCII, at most 28 characters. */
  readonly source: string;
}

/** A stored object is not what its name promises, or of a version that this reader does not know. The message says why. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** A format: its first bytes, its version, and its name in error messages. */
export interface FileFormat {
  readonly signature: Buffer;
  readonly version: number;
  readonly name: string;
  readonly error: new (message: string) => Error;
}

/** A header as it is read. */
export interface KnownHeader extends FileHeader {
  readonly version: number;
  readonly size: number;
}

const at = { version: 8, size: 12, checksum: 16, rows: 20, time: 24, seconds: 32, source: 36 } as const;
/** The checksum covers everything from here on. */
export const CHECKED_FROM = 20;
const SOURCE_BYTES = 28;
export const HEADER_BYTES = 64;

/** A signature as in PNG: a byte that is not ASCII and both line endings reveal a file damaged in transfer. */
export function signatureOf(letters: string): Buffer {
  return Buffer.from(`\x89${letters}\r\n\x1a`, 'latin1');
}

/** The checksum of these bytes after those of `before`. Loaded when needed: it would add 2 ms to a cold start. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return process.getBuiltinModule('node:zlib').crc32(bytes, before);
}

/** Writes the header of a file whose content is complete; `checked` writes the fields that depend on others. */
export function seal(
  file: Buffer,
  { signature, version }: FileFormat,
  header: FileHeader,
  checked = () => {},
): Buffer {
  signature.copy(file);
  file.writeUInt32LE(version, at.version);
  file.writeUInt32LE(file.length, at.size);
  file.writeUInt32LE(header.rows, at.rows);
  file.writeDoubleLE(header.time, at.time);
  file.writeUInt32LE(header.seconds, at.seconds);
  file.fill(0, at.source, HEADER_BYTES);
  file.write(header.source, at.source, SOURCE_BYTES, 'ascii');
  checked();
  file.writeUInt32LE(crc32(file.subarray(CHECKED_FROM)), at.checksum);
  return file;
}

/** Whether the checksum of a whole file is correct. */
export function isWhole(file: Buffer): boolean {
  return file.readUInt32LE(at.checksum) === crc32(file.subarray(CHECKED_FROM));
}

/** The header of a file, or of its beginning; nothing after the header is checked. */
export function headerOf(file: Buffer, format: FileFormat): KnownHeader {
  const { signature, version } = format;
  const refuse = refusalOf(format);
  if (file.length < HEADER_BYTES) refuse(`only ${file.length} bytes, too short to be one`);
  if (!file.subarray(0, signature.length).equals(signature)) refuse('not one (wrong signature)');
  const found = file.readUInt32LE(at.version);
  if (found !== version) refuse(`format version ${found}, this reader knows version ${version}`);
  return {
    version: found,
    size: file.readUInt32LE(at.size),
    rows: file.readUInt32LE(at.rows),
    time: file.readDoubleLE(at.time),
    seconds: file.readUInt32LE(at.seconds),
    source: file.toString('ascii', at.source, HEADER_BYTES).replace(/\0+$/, ''),
  };
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function refusalOf({ name, error: FormatError }: FileFormat): (reason: string) => never {
  return (reason) => {
    throw new FormatError(`${name}: ${reason}`);
  };
}
