/** An OpenAPI description as `npm run check:openapi` reads it: operations with their parameters, references resolved. */
import { isRecord } from '../../shared/platform/is-record.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  /** The description, which often lists what the schema does not. */
  readonly text: string;
  readonly schema: Json;
  /** The default and the examples. */
  readonly given: readonly unknown[];
  /** Whether a query repeats the parameter for each item of a list. */
  readonly explode: boolean;
}

export interface Operation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Described responses by status, `4XX` or `default`. */
  readonly responses: Json;
}

export interface Description {
  /** The whole document, in which references are looked up; `nullable` of 3.0 is written as in 3.1. */
  readonly root: Json;
  readonly operations: readonly Operation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** Parses a description of version 3.0 or 3.1 in JSON. Throws an Error that says why it is none. */
export function readDescription(text: string): Description {
  const json: unknown = JSON.parse(text);
  const version = isRecord(json) ? String(json.openapi) : '';
  if (!isRecord(json) || !/^3\.[01]\./.test(version) || !isRecord(json.paths))
    throw new Error('it is not an OpenAPI description of version 3.0 or 3.1');
  const root = version.startsWith('3.0.') ? asJsonSchema(json) : json;
  if (!isRecord(root) || !isRecord(root.paths)) throw new Error('it has no paths');
  const operations = Object.entries(root.paths).flatMap(([path, described]) => {
    const item = resolve(root, described);
    return METHODS.filter((method) => method in item).map((method): Operation => {
      const operation = resolve(root, item[method]);
      const parameters = [item.parameters, operation.parameters].flatMap((list) => parametersIn(root, list));
      // An operation's parameter replaces its path's of the same name and place.
      const byName = new Map(parameters.map((one) => [`${one.in} ${one.name}`, one]));
      return {
        method: method.toUpperCase(),
        path,
        parameters: [...byName.values()],
        responses: resolve(root, operation.responses),
      };
    });
  });
  return { root, operations };
}

function parametersIn(root: Json, list: unknown): Parameter[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((described: unknown) => {
    const parameter = resolve(root, described);
    const { name, in: place, required, description = '', example, examples } = parameter;
    if (typeof name !== 'string' || (place !== 'path' && place !== 'query')) return [];
    const schema = resolve(root, parameter.schema);
    const named = Object.values(isRecord(examples) ? examples : {}).map((one) => resolve(root, one).value);
    const inSchema = Array.isArray(schema.examples) ? schema.examples : [];
    const given = [schema.default, example, schema.example, ...named, ...inSchema];
    return {
      name,
      in: place,
      required: required === true,
      text: String(description),
      schema,
      given: given.flat().filter((value) => value !== undefined && value !== null),
      explode: place === 'query' && parameter.explode !== false,
    };
  });
}

/** What a value refers to, or the value itself; an empty object for anything else. Throws if the reference leads nowhere. */
export function resolve(root: Json, value: unknown): Json {
  if (!isRecord(value)) return {};
  const { $ref: reference } = value;
  if (typeof reference !== 'string') return value;
  if (!reference.startsWith('#/')) throw new Error(`${reference} is outside of the file`);
  const target = reference
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), root);
  if (!isRecord(target)) throw new Error(`${reference} is not in the file`);
  return resolve(root, target);
}

/**
 * A value of a 3.0 document with the schemas of 3.1, that is JSON Schema: `nullable` adds a type, and `exclusiveMinimum` and
 * `exclusiveMaximum` are limits. As OpenAPI 3.0.3 says, null must also be in the `enum`, if there is one.
 */
function asJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJsonSchema);
  if (!isRecord(value)) return value;
  const { nullable, ...others } = value;
  const schema = Object.fromEntries(Object.entries(others).map(([key, one]) => [key, asJsonSchema(one)]));
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (schema[exclusive] === true) schema[exclusive] = schema[limit];
    else if (schema[exclusive] === false) delete schema[exclusive];
  }
  if (typeof nullable !== 'boolean') return nullable === undefined ? schema : { ...schema, nullable };
  if (!nullable || '$ref' in schema) return schema;
  return 'type' in schema
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
