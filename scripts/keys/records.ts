/** The keys of named clients: one row of the shared table, and an edge store with the same digests. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { clientText } from '../../shared/http/client-key.ts';
import {
  digestOf,
  KEYS_ROW,
  type KeyRecord,
  newKey,
  RECORDS_ATTRIBUTE,
  recordsOf,
} from '../../shared/http/named-keys.ts';
import { numberIn, type SharedTable } from '../../shared/platform/table.ts';

export interface KeyStores {
  readonly table: SharedTable;
  /** A local service has no edge store, and neither has a stage without a distribution. */
  readonly edge: EdgeStore | undefined;
}

interface EdgeStore {
  put(digest: string, client: string): Promise<void>;
  remove(digest: string): Promise<void>;
}

export type NewClient = Pick<KeyRecord, 'name' | 'perMinute' | 'expires'>;

const ROW_ATTEMPTS = 20;
/** A row may have 400 KB, and each key takes some 150 bytes. */
const MAX_KEYS = 2_000;

export async function listKeys({ table }: Pick<KeyStores, 'table'>): Promise<KeyRecord[]> {
  return recordsOf(await table.get(KEYS_ROW));
}

/** Creates a key, which is returned only now. Throws an Error if the name is in use. */
export async function addKey({ table, edge }: KeyStores, client: NewClient, now: number): Promise<string> {
  const key = newKey();
  const record: KeyRecord = { ...client, digest: digestOf(key), made: now };
  await changeRecords(table, (records) => {
    if (records.some(({ name }) => name === client.name))
      throw new Error(
        `There is a key named ${client.name}: revoke it first (npm run keys -- revoke ${client.name}), or choose another name`,
      );
    if (records.length >= MAX_KEYS)
      throw new Error(`There are ${MAX_KEYS} keys, and no more fit: revoke some`);
    return [...records, record];
  });
  try {
    await edge?.put(record.digest, clientText(record));
  } catch (error) {
    // The key has not been shown yet.
    await changeRecords(table, (records) => records.filter(({ digest }) => digest !== record.digest));
    throw error;
  }
  return key;
}

/** Deletes at the edge first: if the rest fails, the command can be repeated. Throws an Error for an unknown name. */
export async function revokeKey({ table, edge }: KeyStores, name: string): Promise<void> {
  const record = (await listKeys({ table })).find((one) => one.name === name);
  if (!record) throw new Error(`There is no key named ${name}: npm run keys -- list shows all`);
  await edge?.remove(record.digest);
  await changeRecords(table, (records) => records.filter(({ digest }) => digest !== record.digest));
}

/** Replaces only the row version that it has read, so that concurrent commands lose nothing. */
async function changeRecords(
  table: SharedTable,
  change: (records: readonly KeyRecord[]) => readonly KeyRecord[],
): Promise<void> {
  let row = await table.get(KEYS_ROW);
  for (let attempt = 1; attempt <= ROW_ATTEMPTS; attempt += 1) {
    const version = numberIn(row, 'version') ?? 0;
    const updated = await table.update(KEYS_ROW, {
      set: { [RECORDS_ATTRIBUTE]: JSON.stringify(change(recordsOf(row))), version: version + 1 },
      when: row ? ['version', '=', version] : { absent: 'version' },
    });
    if (updated.applied) return;
    row = updated.row;
  }
  throw new Error('The keys are being changed by others: try again');
}

/**
 * A CloudFront KeyValueStore, through the AWS CLI: this API alone requires signatures of version 4A, which the CLI can
 * make, but the SDK only with an additional native library.
 */
export function awsEdgeStore(arn: string): EdgeStore {
  const aws = async (command: string, ...args: readonly string[]): Promise<{ ETag: string }> => {
    const all = ['cloudfront-keyvaluestore', command, '--kvs-arn', arn, ...args, '--output', 'json'];
    const { stdout } = await promisify(execFile)('aws', all).catch((error: Error & { stderr?: string }) => {
      const isMissing = 'code' in error && error.code === 'ENOENT';
      const reason = isMissing ? 'the AWS CLI, version 2, is needed' : error.stderr?.trim() || error.message;
      throw new Error(`The edge’s store was not changed: ${reason}`);
    });
    return JSON.parse(stdout);
  };

  /** Of two concurrent commands, the one with the older state fails and changes nothing. */
  async function change(command: 'put-key' | 'delete-key', ...args: readonly string[]): Promise<void> {
    const { ETag: state } = await aws('describe-key-value-store');
    await aws(command, '--if-match', state, ...args);
  }

  return {
    put: (digest, client) => change('put-key', '--key', digest, '--value', client),
    remove: (digest) =>
      change('delete-key', '--key', digest).catch((error: unknown) => {
        // An earlier command may have removed the key and then failed.
        if (!String(error).includes('ResourceNotFoundException')) throw error;
      }),
  };
}
