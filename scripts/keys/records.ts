import { clientText } from '../../shared/http/client-key.ts';
import {
  digestOf,
  KEYS_ROW,
  type KeyRecord,
  newKey,
  RECORDS_ATTRIBUTE,
  recordsOf,
} from '../../shared/http/named-keys.ts';
import { numberIn } from '../../shared/platform/table.ts';
import type { Place } from './place.ts';

const ATTEMPTS = 20;
/** Of a row that may have 400 KB, some 150 bytes each. */
const MAX_KEYS = 2_000;

export type NewClient = Pick<KeyRecord, 'name' | 'perMinute' | 'expires'>;

export async function listKeys({ table }: Pick<Place, 'table'>): Promise<KeyRecord[]> {
  return recordsOf(await table.get(KEYS_ROW));
}

/** Makes a key, which is returned this once. Throws an Error if there is one of this name. */
export async function addKey({ table, edge }: Place, client: NewClient, now: number): Promise<string> {
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
    // Nobody has seen the key yet.
    await changeRecords(table, (records) => records.filter(({ digest }) => digest !== record.digest));
    throw error;
  }
  return key;
}

/** At the edge first: if the rest fails, the command finds the name again. Throws an Error if there is none of it. */
export async function revokeKey({ table, edge }: Place, name: string): Promise<void> {
  const record = (await listKeys({ table })).find((one) => one.name === name);
  if (!record) throw new Error(`There is no key named ${name}: npm run keys -- list shows all`);
  await edge?.remove(record.digest);
  await changeRecords(table, (records) => records.filter(({ digest }) => digest !== record.digest));
}

/** Writes only what was made of the row as it is: another command at the same moment loses nothing. */
async function changeRecords(
  table: Place['table'],
  change: (records: readonly KeyRecord[]) => readonly KeyRecord[],
): Promise<void> {
  let row = await table.get(KEYS_ROW);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const version = numberIn(row, 'version') ?? 0;
    const updated = await table.update(KEYS_ROW, {
      update: `SET #${RECORDS_ATTRIBUTE} = :records, #version = :next`,
      condition: row ? '#version = :version' : 'attribute_not_exists(#version)',
      values: {
        ':records': JSON.stringify(change(recordsOf(row))),
        ':next': version + 1,
        ...(row && { ':version': version }),
      },
    });
    if (updated.applied) return;
    row = updated.row;
  }
  throw new Error('The keys are being changed by others: try again');
}
