/** TypeScript source: types from JSON Schemas, and formatting. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export type Json = Readonly<Record<string, unknown>>;

export interface Style {
  /** The caller's own values, which are never changed and may be undefined. */
  readonly input: boolean;
  /** The name of an object schema's type; undefined if it is written inline. */
  readonly nameOf?: (schema: Json) => string | undefined;
}

/** Keywords that describe a schema. */
const notes = ['description', 'default', 'title', 'examples', 'deprecated'];
/** Keywords that determine a value's type, and those that limit the value without changing its type. */
const keywords = [
  ['enum', 'const', 'anyOf', 'oneOf', 'allOf', 'type', 'items', 'required'],
  ['properties', 'additionalProperties', 'patternProperties'],
  ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ['minLength', 'maxLength', 'pattern', 'format'],
  ['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
].flat();

/** The type of the values that a schema accepts. Throws for a schema that it cannot express. */
export function typeOf(given: unknown, style: Style): string {
  const schema = recordOf(given);
  const { type, anyOf, oneOf = anyOf, allOf } = schema;
  const named = Object.keys(withoutNotes(schema));
  if (named.length === 0) return 'unknown';
  if (named.some((keyword) => !keywords.includes(keyword))) throw unknownSchema(schema);
  if (schema.enum) return union(list(schema.enum).map(literal));
  if ('const' in schema) return literal(schema.const);
  if (oneOf) return union(list(oneOf).map((part) => typeOf(part, style)));
  if (allOf)
    return list(allOf)
      .map((part) => `(${typeOf(part, style)})`)
      .join(' & ');
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, style)));
  switch (type) {
    case 'string':
      return String(schema.pattern ?? '').startsWith('^0x') ? '`0x$' + '{string}`' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return `${style.input ? 'readonly ' : ''}(${typeOf(schema.items ?? {}, style)})[]`;
    case 'object':
      if (!schema.properties || Object.keys(schema.properties).length === 0)
        return dictionaryOf(schema, style);
      return style.nameOf?.(schema) ?? fieldsOf(schema, style);
    default:
      throw unknownSchema(schema);
  }
}

export function withoutNotes(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !notes.includes(key)));
}

/** The value type of an object schema without named fields. */
function dictionaryOf(schema: Json, style: Style): string {
  const named = Object.values(recordOf(schema.patternProperties ?? {}));
  const { additionalProperties: others = named.length === 0 } = schema;
  const values = others === false ? named : [...named, others === true ? {} : others];
  if (values.length === 0) return 'Record<string, never>';
  const dictionary = `Record<string, ${union(values.map((value) => typeOf(value, style)))}>`;
  return style.input ? `Readonly<${dictionary}>` : dictionary;
}

/** The fields of an object schema in braces, each with its description and default. */
function fieldsOf(schema: Json, style: Style): string {
  const { additionalProperties = false, patternProperties } = schema;
  if (additionalProperties !== false || patternProperties) throw unknownSchema(schema);
  const required = list(schema.required ?? []);
  const lines = Object.entries(recordOf(schema.properties)).map(([name, property]) => {
    const isRequired = required.includes(name);
    const type = typeOf(property, style) + (style.input && !isRequired ? ' | undefined' : '');
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${docOf(recordOf(property))}${style.input ? 'readonly ' : ''}${key}${isRequired ? '' : '?'}: ${type};`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

/** A schema's description, range and default as JSDoc; empty if it has none. */
function docOf(schema: Json): string {
  const { description, minimum, maximum } = schema;
  const from = minimum === undefined ? '' : `from ${minimum}`;
  const to = maximum === undefined ? '' : `${from ? ' to' : 'up to'} ${maximum}`;
  const byDefault = schema.default === undefined ? '' : `${literal(schema.default)} by default`;
  return jsDoc([description, from + to, byDefault].filter(Boolean).join('; '));
}

/** A JSDoc comment with a line for each line of a text; '' for none. */
export function jsDoc(text: string): string {
  const lines = text.replaceAll('*/', '*\\/').split('\n').filter(Boolean);
  if (lines.length < 2) return text && `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
}

const root = join(import.meta.dirname, '../..');

/** Formats TypeScript like `npm run format`. Throws Biome's error if it cannot be parsed. */
export function formatted(source: string, file: string): string {
  const args = ['format', `--stdin-file-path=${file}`];
  const options = { cwd: root, encoding: 'utf8', input: source } as const;
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/biome'), args, options);
  if (status !== 0) throw new Error(`${file} cannot be formatted: ${stderr}`);
  return stdout;
}

function unknownSchema(schema: Json): Error {
  return new Error(`No TypeScript for the schema ${JSON.stringify(schema)}`);
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function literal(value: unknown): string {
  return JSON.stringify(value);
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`Not a list in a schema: ${JSON.stringify(value)}`);
  return value;
}

/** Throws if it is not a schema. */
export function recordOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`Not a schema: ${JSON.stringify(value)}`);
  return value as Json; // checked above
}
