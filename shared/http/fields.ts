import type { TSchema } from 'typebox';

/** Properties that have one schema, by their names with spaces between. */
export function fields<Schema extends TSchema>(schema: Schema, names: string): Record<string, Schema> {
  return Object.fromEntries(names.split(' ').map((name) => [name, schema]));
}
