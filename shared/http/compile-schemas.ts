/**
 * Compiles schemas to code. Only definitions, builds, tests and the local gateway load this module: the build replaces it with
 * its output in a function's bundle, because the schema compiler costs a cold start 140 ms.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { TSchema } from 'typebox';

const valueTypes = ['string', 'integer', 'number', 'boolean'] as const;

/** The location of a parameter, the type of its value, and the text in errors that describes allowed values. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly type: (typeof valueTypes)[number] | 'list' | 'other';
  readonly required: boolean;
  readonly allowed: string;
  /** The text for one item of a list. A query gives a list as its items, separated by commas. */
  readonly allowedItem?: string;
}

export interface InputProblem {
  readonly keyword: string;
  /** JSON pointer to the field, empty for the object itself. */
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
}

/** Validates one flat input object, fills in defaults, and leaves the problems in `errors`. */
export interface InputValidator {
  (input: Record<string, unknown>): boolean;
  errors?: readonly InputProblem[] | null;
}

type SchemaSource = { readonly [Key in (typeof places)[number][1]]?: TSchema };

interface PropertySchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly { readonly const?: unknown }[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: PropertySchema;
  readonly description?: string;
}

type ObjectSchema = {
  readonly properties: Record<string, PropertySchema>;
  readonly required?: readonly string[];
};

const places = [
  ['path', 'pathParameters'],
  ['query', 'query'],
  ['body', 'body'],
] as const;

const ajvOptions = { allErrors: true, strict: true, strictTypes: false };
const inputOptions = { ...ajvOptions, useDefaults: true, code: { esm: true } };

function objectSchema(schema: TSchema | undefined): ObjectSchema {
  // A TypeBox object schema is a JSON Schema; its generic type does not show the fields.
  return (schema as ObjectSchema | undefined) ?? { properties: {} };
}

/** The parameters of a route in the order of its schemas. Throws if two locations share a name. */
export function parametersOf(source: SchemaSource): Parameter[] {
  const parameters: Parameter[] = [];
  for (const [place, key] of places) {
    const schema = objectSchema(source[key]);
    for (const [name, property] of Object.entries(schema.properties)) {
      if (parameters.some((parameter) => parameter.name === name)) {
        throw new Error(`The parameter ${name} is defined in two places of one route`);
      }
      const isList = place === 'query' && property.type === 'array';
      parameters.push({
        name,
        in: place,
        type: isList ? 'list' : valueType(property),
        required: schema.required?.includes(name) ?? false,
        allowed: isList
          ? `${property.minItems} to ${property.maxItems}, separated by commas`
          : describe(property),
        ...(isList && property.items && { allowedItem: describe(property.items) }),
      });
    }
  }
  return parameters;
}

function valueType(property: PropertySchema): Parameter['type'] {
  const type = valueTypes.find((candidate) => candidate === property.type);
  return type ?? (alternatives(property)?.every((value) => typeof value === 'string') ? 'string' : 'other');
}

function alternatives(property: PropertySchema): readonly unknown[] | undefined {
  return property.enum ?? property.anyOf?.map((option) => option.const);
}

function describe(property: PropertySchema): string {
  const values = alternatives(property);
  if (values) return values.join(', ');
  if (property.type === 'boolean') return 'true, false';
  if (property.type === 'integer' || property.type === 'number') {
    const kind = property.type === 'integer' ? 'an integer' : 'a number';
    const { minimum, maximum } = property;
    if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
    if (minimum !== undefined) return `${kind} from ${minimum}`;
    return maximum !== undefined ? `${kind} up to ${maximum}` : kind;
  }
  if (property.description) return property.description;
  return property.maxLength === undefined
    ? `a ${property.type ?? 'value'}`
    : `a text of 1 to ${property.maxLength} characters`;
}

/** The schema of a route's whole input, from all locations, in one object. */
export function inputSchema(source: SchemaSource) {
  const schemas = places.map(([, key]) => objectSchema(source[key]));
  return {
    type: 'object' as const,
    properties: Object.assign({}, ...schemas.map((schema) => schema.properties)),
    required: schemas.flatMap((schema) => schema.required ?? []),
  };
}

/** Compiles the merged input schema of a route at the first input, for use in this process: most routes get none. */
export function compileInput(source: SchemaSource): InputValidator {
  let compiled: ValidateFunction | undefined;
  const validator: InputValidator = (input) => {
    compiled ??= new Ajv(inputOptions).compile(inputSchema(source));
    const isValid = compiled(input);
    validator.errors = compiled.errors as InputValidator['errors']; // for options that name these fields
    return isValid;
  };
  return validator;
}

/** The validator's source text: an ES module whose default export it is. */
export function inputValidatorSource(source: SchemaSource): string {
  const ajv = new Ajv({ ...inputOptions, code: { esm: true, source: true } });
  const generate = standalone as unknown as typeof standalone.default; // CommonJS default export seen from ESM
  return generate(ajv, ajv.compile(inputSchema(source)));
}

/** Checks `data` against a route's response schema; returns the problems in words, empty when it fits. */
export function compileResponse(response: TSchema): (data: unknown) => string[] {
  const validate = new Ajv(ajvOptions).compile(closed(response));
  return (data) =>
    validate(data)
      ? []
      : (validate.errors ?? []).map((error) => `data${error.instancePath} ${error.message}`);
}

/** Forbids fields that the schema does not name, at every level, so that responses contain nothing undocumented. */
function closed(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (_key, value) =>
    value && typeof value === 'object' && value.type === 'object' && value.properties
      ? { additionalProperties: false, ...value }
      : value,
  );
}
