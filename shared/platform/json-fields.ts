/** Reads JSON of other services. A reader of a field throws an Error that names it. */
import { cleanText } from './clean-text.ts';
import { count } from './metrics.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function object(value: unknown, name: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${name} is not an object`);
  return value as JsonObject; // neither null nor array
}

export function array(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value;
}

/**
 * The values that `read` returns for the rows of a list. Rows that cannot be read are left out and counted, and their errors
 * passed to `report`. Throws the reader's first error if nothing is left.
 */
export function readRows<Row, Value>(
  rows: readonly Row[],
  read: (row: Row) => readonly Value[],
  report?: (error: unknown) => void,
): Value[] {
  const failures: unknown[] = [];
  const values = rows.flatMap((row) => {
    try {
      return read(row);
    } catch (error) {
      failures.push(error);
      report?.(error);
      return [];
    }
  });
  if (failures.length > 0 && values.length === 0) throw failures[0];
  if (failures.length > 0) count('RowsUnreadable', failures.length);
  return values;
}

export function text(source: JsonObject, name: string): string {
  const value = source[name];
  if (typeof value !== 'string') throw new Error(`${name} is not a text`);
  return value;
}

/** Null if absent, null or beyond what a double can hold; JSON has no other numbers that are not finite. */
export function numberOrNull(source: JsonObject, name: string): number | null {
  const value = source[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number') throw new Error(`${name} is not a number`);
  return Number.isFinite(value) ? value : null;
}

export function textOrNull(source: JsonObject, name: string): string | null {
  return source[name] === undefined || source[name] === null ? null : text(source, name);
}

/** A name as people read it. */
export function label(source: JsonObject, name: string): string {
  return cleanText(text(source, name));
}

const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

/** An ISO 8601 time in UTC, with its `Z`; one without a zone is UTC. */
export function instant(source: JsonObject, name: string): string {
  const time = utc(text(source, name));
  if (time === undefined) throw new Error(`${name} is not a time`);
  return time;
}

/** An ISO 8601 time in UTC, with its `Z`; null if it is absent, null or no time. */
export function instantOrNull(source: JsonObject, name: string): string | null {
  const value = source[name];
  return (typeof value === 'string' && utc(value)) || null;
}

function utc(value: string): string | undefined {
  const [, day = '', time = '00:00', zone = 'Z'] = ISO_8601.exec(value) ?? [];
  const at = new Date(`${day}T${time}${zone}`);
  if (Number.isNaN(at.getTime())) return undefined;
  // `Date` reads February 30 as March 2. Every month has 28 days, and a list has thousands of times.
  if (Number(day.slice(8)) > 28 && !new Date(day).toJSON().startsWith(day)) return undefined;
  return value.endsWith('Z') ? value : at.toISOString().replace('.000Z', 'Z');
}

/**
 * True if lists and objects are nested more than `levels` deep in a JSON value; a flat list has one level. Level by
 * level instead of recursively, because such values overflow the call stack, as they do that of JSON.stringify.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let outer = [value].filter(isContainer);
  for (let level = 1; outer.length > 0; level += 1) {
    if (level > levels) return true;
    const inner: object[] = [];
    for (const container of outer) {
      for (const child of Object.values(container)) if (isContainer(child)) inner.push(child);
    }
    outer = inner;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
