/** The keys of named clients: their format, and the row of the shared table with the digests of all of them. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Held, REST_MS } from '../platform/held.ts';
import { openTable } from '../platform/open-table.ts';
import { type Row, rowKey, textIn } from '../platform/table.ts';
import { timeOutOf } from '../platform/waiting.ts';
import { ApiError } from './errors.ts';
import type { NamedClient } from './middleware/pipeline-request.ts';

export interface KeyRecord extends NamedClient {
  /** SHA-256 of the key, in hexadecimal. */
  readonly digest: string;
  /** In milliseconds since the epoch. */
  readonly made: number;
}

/** The row's owner, as a role's permission names it, and its key. */
export const KEYS_OWNER = 'keys';
export const KEYS_ROW = rowKey(KEYS_OWNER, 'clients');
/** The attribute with all records, as JSON, so that one read returns all of them. */
export const RECORDS_ATTRIBUTE = 'records';

/** Secret scanners recognize keys by it. */
const PREFIX = 'mdk_';
const SECRET_BYTES = 20;
const CHECKSUM_LENGTH = 8;
const HELD_MS = 60_000;
/** A first read on a new connection included. */
const READ_MS = 2_000;

/** A new key: the prefix, 160 random bits and their CRC-32, so that a mistyped key is rejected without a look-up. */
export function newKey(): string {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return PREFIX + secret + checksumOf(secret);
}

export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksumOf(secret: string): string {
  return crc32(secret).toString(16).padStart(CHECKSUM_LENGTH, '0');
}

function isWellFormed(key: string): boolean {
  const secret = key.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return /^[0-9a-f]{40}$/.test(secret) && key === PREFIX + secret + checksumOf(secret);
}

/** By the names of their tables. */
const held = new Held<KeyRecord[]>({ readMs: READ_MS, mayStay: () => false });

/**
 * The client of a key; undefined for a key that is unknown, revoked or expired. Reads the row if the container's copy is older
 * than 60 s. Throws 503 if that fails: an older copy might accept a revoked key.
 */
export async function namedClient(key: string): Promise<NamedClient | undefined> {
  const { KEYS_TABLE: table } = process.env;
  if (!table || !isWellFormed(key)) return undefined;
  const given = Buffer.from(digestOf(key));
  const records = await heldRecords(table);
  const [client] = records.filter(({ digest }) => {
    const known = Buffer.from(digest);
    return known.length === given.length && timingSafeEqual(known, given);
  });
  return client && Date.now() < (client.expires ?? Number.POSITIVE_INFINITY) ? client : undefined;
}

async function heldRecords(name: string): Promise<KeyRecord[]> {
  const source = {
    read: async () => recordsOf(await (await openTable(name)).get(KEYS_ROW)),
    untilOf: (_records: KeyRecord[], now: number) => now + HELD_MS,
  };
  return held.get(name, source).catch((cause: unknown) => {
    // Only a time-out rests; after any other failure the next request reads again.
    const headers = { 'retry-after': timeOutOf(cause) ? String(REST_MS / 1000) : '1' };
    throw new ApiError(503, 'Keys cannot be checked at the moment; try again', { headers, cause });
  });
}

export function recordsOf(row: Row | undefined): KeyRecord[] {
  return JSON.parse(textIn(row, RECORDS_ATTRIBUTE) ?? '[]');
}
