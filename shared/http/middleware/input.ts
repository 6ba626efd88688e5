import validator, { type Options as ValidatorOptions } from '@middy/validator';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { nearest } from '../../platform/mistyped.ts';
import type { InputProblem, Parameter } from '../compile-schemas.ts';
import { ApiError } from '../errors.ts';
import type { RuntimeRoute } from '../route.ts';
import { type PipelineMiddleware, stateOf } from './pipeline-request.ts';

type Input = Record<string, unknown>;

const NO_BODY: Input = {};
const NO_QUERY = new URLSearchParams();

/**
 * Reads path, query and body into one typed object, and leaves the event unchanged. Throws 400 for the first required
 * parameter that is missing; if none is, for everything that is malformed.
 *
 * Ordering: last before the handler, so that callers who are refused for another reason learn nothing of the route.
 */
export function validation(route: RuntimeRoute): PipelineMiddleware {
  const eventSchema = (event: APIGatewayProxyEventV2): true => {
    const given = readParameters(route, event);
    const input: Input = {};
    let isRepeated = false;
    for (const [index, { name }] of route.parameters.entries()) {
      const [value, ...others] = given[index] ?? [];
      if (others.length > 0) isRepeated = true;
      else if (value !== undefined) input[name] = value;
    }
    stateOf(event).input = input;
    if (!route.validate(input) || isRepeated) throw refusalOf(route, given);
    return true;
  };

  // Its types require an Ajv instance, but it only calls a function.
  return validator({ eventSchema: eventSchema as unknown as ValidatorOptions['eventSchema'] });
}

function refusalOf({ parameters, validate }: RuntimeRoute, given: readonly unknown[][]): ApiError {
  const missing = parameters.find(({ required }, index) => required && given[index]?.length === 0);
  if (missing) {
    const kind = missing.in === 'body' ? 'required parameter' : 'parameter';
    return new ApiError(400, `Missing ${kind}: ${missing.name}`);
  }
  const errors = validate.errors ?? [];
  const problems = parameters.map((parameter, index) => problemOf(parameter, given[index] ?? [], errors));
  return new ApiError(400, problems.flatMap((problem) => problem?.message ?? []).join('; '));
}

/** The values for each parameter of the route, in its order; none for a required one that is blank. */
function readParameters(route: RuntimeRoute, event: APIGatewayProxyEventV2): unknown[][] {
  const text = event.rawQueryString || (event.queryStringParameters as Record<string, string> | undefined);
  const query = text ? new URLSearchParams(text) : NO_QUERY;
  // A path that does not exist has no parameters, and the clients of other APIs send some without a meaning here.
  const isReadByAdapter = route.adapted !== undefined && route.parameters.length === 0;
  if (route.path !== '$default' && !route.isPage && !isReadByAdapter) refuseUnknownNames(query, route);
  const body = route.readBody?.(event, route) ?? NO_BODY;
  return route.parameters.map((parameter) => {
    const values = valuesOf(parameter, event, query, body);
    const isEmpty = parameter.required && values.every(isBlank);
    return isEmpty ? [] : values.map((value) => typed(value, parameter));
  });
}

/**
 * Throws 400 for a query parameter that the route does not know: if it were ignored, the response would be to another request.
 * Names that begin with `_` are allowed, to bypass caches.
 */
function refuseUnknownNames(query: URLSearchParams, { parameters }: RuntimeRoute): void {
  for (const name of query.keys()) {
    const isKnown = parameters.some((parameter) => parameter.in === 'query' && parameter.name === name);
    if (!isKnown && !name.startsWith('_')) throw unknownName(name, parameters);
  }
}

function unknownName(name: string, parameters: readonly Parameter[]): ApiError {
  const known = parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name);
  const shown = /^[\w.-]{1,80}$/.test(name) ? name : JSON.stringify(name.slice(0, 80));
  const meant = nearest(name.slice(0, 80), known);
  const question = meant.length > 0 ? ` Did you mean ${meant.join(' or ')}?` : '';
  const all =
    known.length > 0 ? `This route knows ${known.join(', ')}` : 'This route has no query parameters';
  return new ApiError(400, `Unknown parameter: ${shown}.${question} ${all}`);
}

function valuesOf(
  { name, in: place }: Parameter,
  event: APIGatewayProxyEventV2,
  query: URLSearchParams,
  body: Input,
): unknown[] {
  if (place === 'query') return query.getAll(name);
  const value = place === 'path' ? decoded(event.pathParameters?.[name]) : body[name];
  return value === undefined || (place === 'body' && value === null) ? [] : [value];
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** API Gateway decodes path parameters; other front ends of a Lambda do not. No coin id has a `%XX` of its own. */
export function decoded(value: string | undefined): string | undefined {
  if (!value?.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The text of a path or query parameter as the schema's type, or unchanged if the validator has to reject it. */
function typed(value: unknown, { in: place, type }: Parameter): unknown {
  if (place === 'body' || typeof value !== 'string') return value;
  if (type === 'list') return value.split(',');
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  if (type === 'integer') return /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value;
  if (type === 'number') return /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  return value;
}

function problemOf(
  parameter: Parameter,
  [value, ...others]: unknown[],
  errors: readonly InputProblem[],
): ApiError | undefined {
  const { name, allowed, type } = parameter;
  if (others.length > 0) {
    const times = `given ${others.length + 1} times`;
    return new ApiError(400, `Invalid parameter ${name}: ${times}; allowed: once, ${allowed}`);
  }
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const refusal = errors.find(
    ({ instancePath }) => instancePath === pointer || instancePath.startsWith(`${pointer}/`),
  );
  if (!refusal) return undefined;
  return type === 'list' && Array.isArray(value)
    ? problemOfList(parameter, value, refusal)
    : invalidParameter(name, value, allowed);
}

function problemOfList(
  { name, allowed, allowedItem = '' }: Parameter,
  items: readonly unknown[],
  refusal: InputProblem,
) {
  if (refusal.keyword === 'maxItems')
    return new ApiError(400, `Invalid parameter ${name}: ${items.length} items; allowed: ${allowed}`);
  return invalidItem(name, items, Number(refusal.instancePath.split('/')[2]), allowedItem);
}

/** 400 for one item of a list; names its position if there are several. */
export function invalidItem(
  name: string,
  items: readonly unknown[],
  index: number,
  allowed: string,
): ApiError {
  return invalidParameter(items.length > 1 ? `${name}, number ${index + 1}` : name, items[index], allowed);
}

/** 400 for an invalid value; `allowed` completes "allowed: …". */
export function invalidParameter(name: string, given: unknown, allowed: string): ApiError {
  const shown = jsonText(given);
  const short = shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
  return new ApiError(400, `Invalid parameter ${name}: ${short}; allowed: ${allowed}`);
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'a value nested too deeply'; // at some 8,000 levels, which fit in a body of 16 KB
  }
}
