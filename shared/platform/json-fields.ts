/** Readers of single values in a provider's JSON; each throws an Error that names the field. */

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

export function text(source: JsonObject, name: string): string {
  const value = source[name];
  if (typeof value !== 'string') throw new Error(`${name} is not a text`);
  return value;
}

export function textOrNull(source: JsonObject, name: string): string | null {
  return source[name] === undefined || source[name] === null ? null : text(source, name);
}

/** Null if absent, null or beyond what a double can hold; JSON has no other numbers that are not finite. */
export function numberOrNull(source: JsonObject, name: string): number | null {
  const value = source[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number') throw new Error(`${name} is not a number`);
  return Number.isFinite(value) ? value : null;
}

/** An ISO 8601 time as the provider wrote it. */
export function instant(source: JsonObject, name: string): string {
  const value = text(source, name);
  if (!/^\d{4}-\d\d-\d\dT/.test(value) || Number.isNaN(Date.parse(value)))
    throw new Error(`${name} is not a time`);
  return value;
}
