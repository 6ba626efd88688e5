import { hasFields, type Json, list, recordOf, withoutNotes } from './typescript.ts';

export interface Data {
  /** Of its type. */
  readonly name: string;
  /** The beginning of the names of types within it. */
  readonly prefix: string;
  readonly schema: Json;
}

interface ObjectType {
  readonly name: string;
  readonly schema: Json;
  /** The data that has it first. */
  readonly firstIn: Data;
}

/** The object types that stand more than once in the data of routes. */
export interface SharedTypes {
  /** Undefined for a schema that is none of them. */
  nameOf(schema: Json): string | undefined;
  /** Those that this data has first, itself aside. */
  firstIn(data: Data): readonly ObjectType[];
}

/**
 * Schemas of objects are one type if they are equal, their own descriptions aside. One that is the data of a route has
 * that name. Others are called by the property that has them first: an item of a list in the singular, and one that a
 * union tells apart by a field of a single value by that value. Throws if two would have the same name.
 */
export function sharedTypes(all: readonly Data[]): SharedTypes {
  const types = new Map<string, ObjectType>();
  const shared = new Set<string>();
  /** Whether the schema is new, and so is what it holds. */
  const note = (name: string, schema: Json, firstIn: Data): boolean => {
    const key = keyOf(schema);
    if (types.has(key)) shared.add(key);
    else types.set(key, { name, schema, firstIn });
    return !shared.has(key);
  };
  const visit = (holder: Json, holderName: string, data: Data): void => {
    for (const [name, schema] of partsOf(holder, holderName))
      if (!hasFields(schema) || note(data.prefix + capitalized(name), schema, data))
        visit(schema, name, data);
  };
  const fresh = all.filter((data) => !hasFields(data.schema) || note(data.name, data.schema, data));
  for (const data of fresh) visit(data.schema, 'data', data);

  const others = [...types]
    .filter(([key, { schema, firstIn }]) => shared.has(key) && schema !== firstIn.schema)
    .map(([, type]) => type);
  const taken = new Set(all.flatMap(({ name, prefix }) => [name, `${prefix}Input`]));
  for (const { name } of others) {
    if (taken.has(name)) throw new Error(`Two types of the client would be called ${name}`);
    taken.add(name);
  }
  return {
    nameOf: (schema) => {
      const key = keyOf(schema);
      return shared.has(key) ? types.get(key)?.name : undefined;
    },
    firstIn: (data) => others.filter(({ firstIn }) => firstIn === data),
  };
}

function keyOf(schema: Json): string {
  return JSON.stringify(withoutNotes(schema));
}

/** The schemas directly in one, each with the name of what has it. */
function partsOf(schema: Json, name: string): (readonly [name: string, part: Json])[] {
  const { properties = {}, patternProperties = {}, additionalProperties, items } = schema;
  const members = [schema.anyOf, schema.oneOf, schema.allOf]
    .flatMap((parts = []) => list(parts))
    .map(recordOf);
  const values = [...Object.values(recordOf(patternProperties)), additionalProperties];
  return [
    ...Object.entries(recordOf(properties)).map(([key, part]) => [key, recordOf(part)] as const),
    ...members.map((part) => [tagOf(part) ?? name, part] as const),
    ...values.filter(isSchema).map((part) => [name, part] as const),
    ...[items].filter(isSchema).map((part) => [singular(name), part] as const),
  ];
}

/** The value by which a union tells an object from others, if it has such a field. */
function tagOf({ properties = {} }: Json): string | undefined {
  const values = Object.values(recordOf(properties)).map(recordOf);
  const [tag] = values.flatMap(({ const: only, enum: one = [only] }) =>
    list(one).length === 1 ? list(one) : [],
  );
  return typeof tag === 'string' && /^\w+$/.test(tag) ? tag : undefined;
}

function isSchema(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

function singular(name: string): string {
  return name.endsWith('s') ? name.slice(0, -1) : `${name}Item`;
}

function capitalized(name: string): string {
  return name.replace(/(?:^|\W+)(\w?)/g, (_, letter: string) => letter.toUpperCase());
}
