import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Parameter } from '../compile-schemas.ts';
import { ApiError } from '../errors.ts';
import { onlyHeader } from './pipeline-request.ts';

interface BodyRoute {
  readonly maxBodyBytes: number;
  readonly parameters: readonly Parameter[];
}

/**
 * An absent body is read as `{}`, so that the error names the first required field. Throws 413, 415 if the content type is not
 * JSON, or 400 if the body is not a JSON object or has a field that the route does not know.
 */
export function readBody(
  event: APIGatewayProxyEventV2,
  { maxBodyBytes, parameters }: BodyRoute,
): Record<string, unknown> {
  const body = bodyOf(event, maxBodyBytes);
  const fields = parameters.filter((parameter) => parameter.in === 'body').map(({ name }) => name);
  refuseUnknown(body, fields, 'the body');
  return body;
}

function bodyOf(event: APIGatewayProxyEventV2, maxBytes: number): Record<string, unknown> {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBytes) throw ApiError.bodyTooLarge(maxBytes);
  if (bytes.length === 0) return {};
  refuseOtherTypes(onlyHeader(event.headers, 'content-type'));
  const value = parse(bytes.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError(400, 'Request body must be a JSON object, such as {"name":"value"}');
  }
  return value as Record<string, unknown>; // a JSON object
}

/**
 * A browser sends JSON to another origin only after a preflight, but a body of another type, or without one, at once
 * (https://fetch.spec.whatwg.org/#cors-safelisted-request-header): any page could send a request with effects.
 */
function refuseOtherTypes(type: string): void {
  if (/^application\/json\s*(;[^,]*)?$/i.test(type)) return;
  const problem = type === '' ? 'Missing content-type:' : `Unsupported content-type: ${type.slice(0, 80)};`;
  throw new ApiError(415, `${problem} send a JSON object with the header content-type: application/json`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'Request body is not valid JSON; send a JSON object, such as {"name":"value"}');
  }
}

/** Throws 400 for an unknown field: if it were ignored, the response would be to another request. */
export function refuseUnknown(given: object, fields: readonly string[], place: string): void {
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown === undefined) return;
  const shown = JSON.stringify(unknown.slice(0, 80));
  throw new ApiError(400, `Unknown field ${shown} in ${place}; allowed: ${fields.join(', ')}`);
}
