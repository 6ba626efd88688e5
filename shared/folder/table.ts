import type { DatabaseSync } from 'node:sqlite';
import {
  type Change,
  type Condition,
  EXPIRY_ATTRIBUTE,
  KEY_ATTRIBUTE,
  numberIn,
  type Row,
  type SharedTable,
  type Value,
} from '../platform/table.ts';
import { inTransaction } from './database.ts';

/** The shared table in a SQLite file. A change is committed before it is acknowledged. Throws SQLite's errors. */
export function sqliteTable(database: DatabaseSync): SharedTable {
  const select = database.prepare('SELECT content FROM rows WHERE key = ?');
  const upsert = database.prepare(
    'INSERT INTO rows VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET content = excluded.content, expires_at = excluded.expires_at',
  );
  const rowOf = (key: string): Row | undefined => {
    const found = select.get(key);
    return found && contentIn(String(found.content));
  };
  return {
    get: async (key) => rowOf(key),
    update: async (key, change) =>
      inTransaction(database, () => {
        const before = rowOf(key);
        if (change.when && !holds(change.when, before ?? {})) return { applied: false, row: before };
        const row = changed({ ...before, [KEY_ATTRIBUTE]: key }, change);
        upsert.run(key, textOf(row), numberIn(row, EXPIRY_ATTRIBUTE) ?? null);
        return { applied: true, row };
      }),
  };
}

function holds(condition: Condition, row: Row): boolean {
  if ('absent' in condition) return row[condition.absent] === undefined;
  if ('any' in condition) return condition.any.some((one) => holds(one, row));
  if ('all' in condition) return condition.all.every((one) => holds(one, row));
  const [attribute, is, value] = condition;
  const own = row[attribute];
  if (own === undefined || typeof own !== typeof value) return false;
  const order = compare(own, value);
  return is === '=' ? order === 0 : is === '<' ? order < 0 : order <= 0;
}

/** Texts by their bytes, as DynamoDB does. */
function compare(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const bytesOf = (value: Value) => (typeof value === 'object' ? value : Buffer.from(String(value)));
  return Buffer.compare(bytesOf(a), bytesOf(b));
}

function changed(before: Row, { set = {}, add = {}, remove = [] }: Change): Row {
  const row: Record<string, Value> = { ...before, ...set };
  for (const [name, amount] of Object.entries(add)) {
    const own = before[name] ?? 0;
    if (typeof own !== 'number') throw new TypeError(`${name} is no number`);
    row[name] = own + amount;
  }
  for (const name of remove) delete row[name];
  return row;
}

/** Bytes are written as a list with one text in base64. */
function textOf(row: Row): string {
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'object' ? [Buffer.from(value).toString('base64')] : value,
      ]),
    ),
  );
}

function contentIn(text: string): Row {
  const row = JSON.parse(text) as Record<string, string | number | [string]>; // as `textOf` wrote it
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Array.isArray(value) ? Buffer.from(value[0], 'base64') : value,
    ]),
  );
}
