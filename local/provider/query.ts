import { DAY_MS } from '../../shared/platform/time.ts';

/** A request that the provider answers with 400 `Invalid parameters`. */
export class InvalidParameters extends Error {
  override readonly name = 'InvalidParameters';
}

/** Reads a query parameter; an empty one counts as absent. */
export function read(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined;
}

/** Reads `start` or `end` (ms): ISO 8601, `yyyy-mm-dd`, or Unix seconds. A plain date as `end` includes its day. */
export function readInstant(query: URLSearchParams, name: 'start' | 'end'): number | undefined {
  const text = read(query, name);
  if (text === undefined) return undefined;
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000;
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  const ms = isDate || isTime ? Date.parse(text) : Number.NaN;
  // `Date.parse` reads 2026-02-31 as the third of March.
  const isReal = !Number.isNaN(ms) && (isTime || new Date(ms).toISOString().startsWith(text));
  if (!isReal) throw new InvalidParameters(name);
  return isDate && name === 'end' ? ms + DAY_MS - 1000 : ms;
}

/** Reads the required `start` and the optional `end` (ms). */
export function readRange(query: URLSearchParams, lastMs: number): { startMs: number; endMs: number } {
  const startMs = readInstant(query, 'start');
  const endMs = readInstant(query, 'end') ?? Math.max(lastMs, startMs ?? 0);
  if (startMs === undefined || startMs > endMs) throw new InvalidParameters('start');
  return { startMs, endMs: Math.min(endMs, lastMs) };
}

export function readLimit(query: URLSearchParams, fallback: number, maximum: number): number {
  const text = read(query, 'limit') ?? String(fallback);
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maximum) throw new InvalidParameters('limit');
  return limit;
}

/** Reads one of a few names, given as the keys of a table; returns its name and value. */
export function readChoice<T>(
  query: URLSearchParams,
  name: string,
  table: ReadonlyMap<string, T>,
  fallback: string,
): { name: string; value: T } {
  const chosen = (read(query, name) ?? fallback).toLowerCase();
  const value = table.get(chosen);
  if (value === undefined) throw new InvalidParameters(name);
  return { name: chosen, value };
}
