import type { TSchema } from 'typebox';

/** Properties with the same schema; `names` are separated by spaces. */
export function fields<Schema extends TSchema>(schema: Schema, names: string): Record<string, Schema> {
  return Object.fromEntries(names.split(' ').map((name) => [name, schema]));
}
