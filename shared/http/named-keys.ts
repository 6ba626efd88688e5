/** The keys of named clients: their format, and the row of the shared table with the digests of all of them. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { accessOfLambda } from '../platform/aws-requests.ts';
import { dynamoTable } from '../platform/dynamo-table.ts';
import { type Row, rowKey, textIn } from '../platform/table.ts';
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
const REST_MS = 1_000;
const TIMEOUT_MS = 1_000;

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

let held:
  | { readonly until: number; readonly from: number; readonly records: Promise<KeyRecord[]> }
  | undefined;

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

function heldRecords(table: string): Promise<KeyRecord[]> {
  const now = Date.now();
  if (held && now >= held.from && now < held.until) return held.records;
  const reading = dynamoTable(table, { ...accessOfLambda('dynamodb'), timeoutMs: TIMEOUT_MS }).get(KEYS_ROW);
  const records = reading.then(recordsOf).catch((cause: unknown) => {
    held = { from: now, until: Date.now() + REST_MS, records };
    throw new ApiError(503, 'Keys cannot be checked at the moment; try again', {
      headers: { 'retry-after': '1' },
      cause,
    });
  });
  held = { from: now, until: now + HELD_MS, records };
  return records;
}

export function recordsOf(row: Row | undefined): KeyRecord[] {
  return JSON.parse(textIn(row, RECORDS_ATTRIBUTE) ?? '[]');
}
