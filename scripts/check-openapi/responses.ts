/** What is wrong with a response by its description: status, content type, and every field of the body. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isRecord } from '../../shared/platform/is-record.ts';
import { type Description, type Json, type Operation, resolve } from './description.ts';

export interface Problem {
  /** JSON pointer with `*` for the indices of a list and the keys of a record; or the part of the response in brackets. */
  readonly field: string;
  /** What is wrong, in words that are the same for each value. */
  readonly rule: string;
  /** Undefined if the field is missing. */
  readonly value: unknown;
}

export interface Received {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** RFC 3339, section 5.6. */
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const exists = (time: string) => !Number.isNaN(Date.parse(time));

/** Returns the function that finds the problems of a response. */
export function responseProblems({ root }: Description) {
  // Not strict: a description has `example` and more that JSON Schema does not know.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    validateSchema: false,
    logger: false,
  });
  ajv.addFormat('date', (text) => DATE.test(text) && exists(text));
  ajv.addFormat('date-time', (text) => DATE_TIME.test(text) && exists(text));
  ajv.addFormat('uri', (text) => URL.canParse(text));
  const validators = new Map<Json, ValidateFunction>();

  function validatorOf(schema: Json): ValidateFunction {
    const { paths, components } = root;
    // References begin at the root of the document.
    const validator = validators.get(schema) ?? ajv.compile({ ...schema, paths, components });
    validators.set(schema, validator);
    return validator;
  }

  function bodyProblems(schema: Json, body: string): Problem[] {
    let json: unknown;
    try {
      json = JSON.parse(body);
    } catch {
      return [{ field: '(body)', rule: 'no JSON', value: body }];
    }
    const validate = validatorOf(schema);
    if (validate(json)) return [];
    return withoutAlternatives(validate.errors ?? []).map((error) => problemOf(root, schema, error));
  }

  return ({ responses }: Operation, { status, contentType, body }: Received): Problem[] => {
    const described = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
    // All queries are valid by the description, so no client's mistake is a response to them.
    const refused: Problem[] =
      status < 400
        ? []
        : [
            {
              field: '(status)',
              rule: status < 500 ? `refused with ${status}` : `failed with ${status}`,
              value: body,
            },
          ];
    if (described === undefined)
      return refused.length > 0
        ? refused
        : [{ field: '(status)', rule: `${status} is not described`, value: body }];
    const { content } = resolve(root, described);
    if (!isRecord(content)) return refused;
    const type = essence(contentType);
    const [, media] = Object.entries(content).find(([name]) => essence(name) === type) ?? [];
    const types = Object.keys(content).join(' or ');
    if (!media)
      return [...refused, { field: '(content-type)', rule: `described as ${types}`, value: contentType }];
    const { schema } = resolve(root, media);
    if (!isRecord(schema) || !/\bjson$/.test(type)) return refused;
    return [...refused, ...bodyProblems(schema, body)];
  };
}

/** A content type without its parameters. */
function essence(contentType: string): string {
  const [type = ''] = contentType.split(';');
  return type.trim().toLowerCase();
}

/**
 * The errors without those of alternatives. If a value has the type of an alternative, the errors in that one say more than that
 * none fits; otherwise that none fits says more than the type of each.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  const parents = errors.filter(
    ({ keyword, params }) => keyword === 'anyOf' || (keyword === 'oneOf' && !params.passingSchemas),
  );
  const dropped = new Set<ErrorObject>();
  for (const parent of parents) {
    const at = parent.instancePath;
    const inside = errors.filter(
      (error) => error !== parent && !dropped.has(error) && `${error.instancePath}/`.startsWith(`${at}/`),
    );
    const isOtherType = ({ keyword, instancePath }: ErrorObject) => keyword === 'type' && instancePath === at;
    const telling = inside.filter((error) => !isOtherType(error));
    for (const error of telling.length > 0 ? [parent, ...inside.filter(isOtherType)] : inside)
      dropped.add(error);
  }
  return errors.filter((error) => !dropped.has(error));
}

function problemOf(root: Json, schema: Json, error: ErrorObject): Problem {
  const { keyword, params, data: value } = error;
  const field = fieldOf(root, schema, error.instancePath);
  switch (keyword) {
    case 'type':
      return { field, rule: `${typeOf(value)}, described as ${[params.type].flat().join(' or ')}`, value };
    case 'required':
      return { field: `${field}/${params.missingProperty}`, rule: 'missing', value: undefined };
    case 'additionalProperties':
      return { field: `${field}/${params.additionalProperty}`, rule: 'not described', value };
    case 'enum':
    case 'const':
      return { field, rule: 'not one of the described values', value };
    case 'format':
      return { field, rule: `not a ${params.format}`, value };
    case 'anyOf':
    case 'oneOf': {
      const passing = Array.isArray(params.passingSchemas) ? 'more than one' : 'none';
      return { field, rule: `${typeOf(value)}, fits ${passing} of the alternatives`, value };
    }
    default:
      return { field, rule: error.message ?? keyword, value };
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The pointer with `*` for each part that the schema does not name. */
function fieldOf(root: Json, schema: Json, pointer: string): string {
  let schemas = [schema];
  const parts = pointer.split('/').slice(1);
  const named = parts.map((part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const all = schemas.flatMap((one) => alternativesOf(root, one));
    const own = all.flatMap(({ properties }) =>
      isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
    );
    const others = all.flatMap(({ items, prefixItems, additionalProperties, patternProperties }) => [
      ...[items, additionalProperties],
      ...(Array.isArray(prefixItems) ? prefixItems : []),
      ...(isRecord(patternProperties) ? Object.values(patternProperties) : []),
    ]);
    schemas = (own.length > 0 ? own : others).filter(isRecord);
    return own.length > 0 ? part : '*';
  });
  return ['', ...named].join('/');
}

/** A schema and all those it consists of. */
function alternativesOf(root: Json, schema: Json): Json[] {
  const { allOf = [], anyOf = [], oneOf = [], ...own } = resolve(root, schema);
  return [
    own,
    ...[allOf, anyOf, oneOf]
      .flat()
      .filter(isRecord)
      .flatMap((one) => alternativesOf(root, one)),
  ];
}
