/** The response that an HTTP API makes from a function's return value (payload format 2.0), and the gateway's own responses. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isRecord } from '../shared/platform/is-record.ts';

export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** The gateway's own response, which does not use the API's envelope: `{"message":"…"}`. */
export function gatewayAnswer(status: number, message: string): GatewayResponse {
  return jsonAnswer(status, { message });
}

export function jsonAnswer(status: number, body: unknown): GatewayResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    cookies: [],
    body: Buffer.from(JSON.stringify(body)),
  };
}

export const internalServerError = gatewayAnswer(500, 'Internal Server Error');
export const serviceUnavailable = gatewayAnswer(503, 'Service Unavailable');
export const entityTooLarge = gatewayAnswer(413, 'Request Entity Too Large');

// The gateway sets these headers itself.
const framingHeaders = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The response for a function's returned JSON: as specified if it has `statusCode`, else a 200 with the value as its
 * JSON body. Undefined for a value that API Gateway would reject.
 */
export function fromPayload(payload: string): GatewayResponse | undefined {
  const value: unknown = JSON.parse(payload);
  if (!isRecord(value) || value.statusCode === undefined) {
    const body = typeof value === 'string' ? value : payload;
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      cookies: [],
      body: Buffer.from(body),
    };
  }
  const { statusCode: status, headers = {}, cookies = [], body = '', isBase64Encoded = false } = value;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    return undefined;
  if (typeof body !== 'string' || !isRecord(headers) || !Array.isArray(cookies)) return undefined;
  try {
    return {
      status,
      headers: responseHeaders(headers, body !== ''),
      cookies: cookies.map((cookie) => validated('set-cookie', cookie)),
      body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
    };
  } catch {
    return undefined; // HTTP does not allow the header
  }
}

function responseHeaders(given: Record<string, unknown>, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = hasBody ? { 'content-type': 'text/plain;charset=UTF-8' } : {};
  for (const [name, value] of Object.entries(given)) {
    const lowerCased = name.toLowerCase();
    if (!framingHeaders.has(lowerCased)) headers[lowerCased] = validated(lowerCased, value);
  }
  return headers;
}

function validated(name: string, value: unknown): string {
  if (value === null || typeof value === 'object') throw new TypeError(`Header ${name} is not a text`);
  validateHeaderName(name);
  validateHeaderValue(name, String(value));
  return String(value);
}
