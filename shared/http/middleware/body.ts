import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiError } from '../errors.ts';

/** An absent body reads as `{}`: the first required field is named. Throws 413, or 400 if it is no JSON object. */
export function bodyOf(event: APIGatewayProxyEventV2, maxBytes: number): Record<string, unknown> {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBytes) throw ApiError.bodyTooLarge(maxBytes);
  if (bytes.length === 0) return {};
  const value = parse(bytes.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError(400, 'Request body must be a JSON object, such as {"name":"value"}');
  }
  return value as Record<string, unknown>; // a JSON object
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'Request body is not valid JSON; send a JSON object, such as {"name":"value"}');
  }
}
