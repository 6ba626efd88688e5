/** JSON Schemas as TypeScript types. */
export type Json = Readonly<Record<string, unknown>>;

export interface Style {
  /** The caller's own values, which are never changed and may be given as undefined. */
  readonly input: boolean;
  /** The name that an object schema goes by; undefined if it is to be written out. */
  readonly nameOf?: (schema: Json) => string | undefined;
}

/** They limit a value without changing its type. */
const limits = [
  ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ['minLength', 'maxLength', 'pattern', 'format'],
  ['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
].flat();
const notes = ['description', 'default', 'title', 'examples', 'deprecated'];

/** The keywords of each kind of schema; the kind is the first of these that a schema has. */
const kinds: readonly (readonly [string, (schema: Json, style: Style) => string, ...(readonly string[])])[] =
  [
    ['enum', (schema) => union(list(schema.enum).map(literal)), 'type'],
    ['const', (schema) => literal(schema.const), 'type'],
    ['anyOf', (schema, style) => union(list(schema.anyOf).map((part) => typeOf(part, style)))],
    ['oneOf', (schema, style) => union(list(schema.oneOf).map((part) => typeOf(part, style)))],
    [
      'allOf',
      (schema, style) =>
        list(schema.allOf)
          .map((part) => `(${typeOf(part, style)})`)
          .join(' & '),
    ],
    ['type', typed, 'properties', 'required', 'additionalProperties', 'patternProperties', 'items'],
  ];

/** The type of the values that a schema accepts. Throws on what it does not know how to say. */
export function typeOf(given: unknown, style: Style): string {
  const schema = recordOf(given);
  const keywords = Object.keys(withoutNotes(schema));
  if (keywords.length === 0) return 'unknown';
  const kind = kinds.find(([keyword]) => keywords.includes(keyword));
  const [keyword = '', write, ...others] = kind ?? [];
  const strange = keywords.filter((key) => key !== keyword && ![...limits, ...others].includes(key));
  if (!write || strange.length > 0) throw unknownSchema(schema);
  return write(schema, style);
}

/** What a schema says of its values, without what it says about itself. */
export function withoutNotes(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !notes.includes(key)));
}

function typed(schema: Json, style: Style): string {
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typed({ ...schema, type }, style)));
  }
  switch (schema.type) {
    case 'string':
      return String(schema.pattern ?? '').startsWith('^0x') ? '`0x$' + '{string}`' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `${style.input ? 'readonly ' : ''}(${typeOf(schema.items ?? {}, style)})[]`;
    case 'object':
      if (!hasFields(schema)) return dictionaryOf(schema, style);
      return style.nameOf?.(schema) ?? fieldsOf(schema, style);
    default:
      throw unknownSchema(schema);
  }
}

/** Whether it is the schema of an object that names its fields. */
export function hasFields({ properties = {} }: Json): boolean {
  return Object.keys(recordOf(properties)).length > 0;
}

/** Of an object schema that names no fields: the values under any name. */
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
  const from = minimum === undefined ? [] : [`from ${minimum}`];
  const range = [
    ...from,
    ...(maximum === undefined ? [] : [`${from.length > 0 ? '' : 'up '}to ${maximum}`]),
  ].join(' ');
  const byDefault = schema.default === undefined ? '' : `${literal(schema.default)} by default`;
  const said = [description, range, byDefault].filter(Boolean).join('; ');
  return jsDoc(said === '' ? [] : [said]);
}

const WIDTH = 100;

/** Texts as a JSDoc comment, each on a line of its own; '' if there are none. */
export function jsDoc(texts: readonly string[]): string {
  const lines = texts.flatMap((text) => wrapped(text.replaceAll('*/', '*\\/')));
  if (lines.length === 0) return '';
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
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

/** Throws on what is none. */
export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`Not a list in a schema: ${JSON.stringify(value)}`);
  return value;
}

/** Throws on what is no schema. */
export function recordOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`Not a schema: ${JSON.stringify(value)}`);
  return value as Json; // as just checked
}
