import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { nearest } from '../../platform/mistyped.ts';
import type { InputProblem, Parameter } from '../compile-schemas.ts';
import { ApiError } from '../errors.ts';
import type { RuntimeRoute } from '../route.ts';
import { stateOf } from './pipeline-request.ts';

type Input = Record<string, unknown>;

const NO_BODY: Input = {};
const NO_QUERY = new URLSearchParams();

/** The `eventSchema` of `@middy/validator`: reads all input into one typed object, and leaves the event unchanged. */
export function eventSchema(route: RuntimeRoute) {
  const validateEvent = (event: APIGatewayProxyEventV2): boolean => {
    const given = readParameters(route, event);
    const input: Input = {};
    let isRepeated = false;
    for (const [index, { name }] of route.parameters.entries()) {
      const [value, ...others] = given[index] ?? [];
      if (others.length > 0) isRepeated = true;
      else if (value !== undefined) input[name] = value;
    }
    const fits = route.validate(input) && !isRepeated;
    validateEvent.errors = fits
      ? []
      : route.parameters.flatMap((parameter, index) =>
          problemOf(parameter, given[index] ?? [], route.validate.errors ?? []),
        );
    stateOf(event).input = input;
    return fits;
  };
  validateEvent.errors = [] as Problem[];
  return validateEvent;
}

type Problem = { readonly missing: boolean; readonly text: string };

/** The values given for each parameter of the route, in its order; none for a required one that is blank. */
function readParameters(route: RuntimeRoute, event: APIGatewayProxyEventV2): unknown[][] {
  const text = event.rawQueryString || (event.queryStringParameters as Record<string, string> | undefined);
  const query = text ? new URLSearchParams(text) : NO_QUERY;
  if (route.path !== '$default') refuseUnknownNames(query, route); // a path that does not exist has no parameters
  const body = route.readBody?.(event, route) ?? NO_BODY;
  return route.parameters.map((parameter) => {
    const values = valuesOf(parameter, event, query, body);
    const isEmpty = parameter.required && values.every(isBlank);
    return isEmpty ? [] : values.map((value) => typed(value, parameter));
  });
}

/**
 * Throws 400 for a query parameter that the route does not know: if it were ignored, the answer would be one to another
 * question. Names that begin with `_` are for getting past caches.
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
function decoded(value: string | undefined): string | undefined {
  if (!value?.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The text of a path or query parameter as the schema's type, or unchanged, for the validator to refuse. */
function typed(value: unknown, { in: place, type }: Parameter): unknown {
  if (place === 'body' || typeof value !== 'string') return value;
  if (type === 'list') return value.split(',');
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  if (type === 'integer') return /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value;
  if (type === 'number') return /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  return value;
}

function problemOf(parameter: Parameter, values: unknown[], errors: readonly InputProblem[]): Problem[] {
  const { name, allowed, required } = parameter;
  if (values.length === 0) {
    const text = `Missing ${parameter.in === 'body' ? 'required parameter' : 'parameter'}: ${name}`;
    return required ? [{ missing: true, text }] : [];
  }
  if (values.length > 1) {
    const text = `Invalid parameter ${name}: given ${values.length} times; allowed: once, ${allowed}`;
    return [{ missing: false, text }];
  }
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const refusal = errors.find(
    ({ instancePath }) => instancePath === pointer || instancePath.startsWith(`${pointer}/`),
  );
  if (!refusal) return [];
  const [value] = values;
  const { message } =
    parameter.type === 'list' && Array.isArray(value)
      ? problemOfList(parameter, value, refusal)
      : invalidParameter(name, value, allowed);
  return [{ missing: false, text: message }];
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

/** 400 for one item of a list; says which one if there are several. */
export function invalidItem(
  name: string,
  items: readonly unknown[],
  index: number,
  allowed: string,
): ApiError {
  return invalidParameter(items.length > 1 ? `${name}, number ${index + 1}` : name, items[index], allowed);
}

/** 400 for a value that cannot be used; `allowed` completes "allowed: …". */
export function invalidParameter(name: string, given: unknown, allowed: string): ApiError {
  const shown = jsonText(given);
  const short = shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
  return new ApiError(400, `Invalid parameter ${name}: ${short}; allowed: ${allowed}`);
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'a value nested too deeply'; // some 8,000 levels, which a body of 16 KB can hold
  }
}

type ValidationFailure = { readonly cause: { readonly data: readonly Problem[] } };

/** True for the error that `@middy/validator` throws if `eventSchema` refuses. */
export function isValidationFailure(thrown: unknown): thrown is ValidationFailure {
  if (!(thrown instanceof Error) || thrown instanceof ApiError) return false;
  return (thrown.cause as { package?: string } | undefined)?.package === '@middy/validator';
}

/** The first missing parameter in the schema's order; if none is missing, everything that is malformed. */
export function inputProblemsOf({ cause: { data } }: ValidationFailure): ApiError {
  const missing = data.find((problem) => problem.missing);
  return new ApiError(400, missing?.text ?? data.map((problem) => problem.text).join('; '));
}
