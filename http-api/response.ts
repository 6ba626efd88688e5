/** The response that an HTTP API makes from a function's return value (payload format 2.0), and the gateway's own responses. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isRecord } from '../shared/platform/is-record.ts';

export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  /** A text is not copied, and is sent together with the headers. */
  readonly body: Buffer | string;
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
    body: JSON.stringify(body),
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
 * The response for a function's result: as specified if it has `statusCode`, else a 200 with the value as its JSON body. Undefined
 * for a result that API Gateway would reject.
 */
export function fromResult(result: unknown): GatewayResponse | undefined {
  if (!isRecord(result) || result.statusCode === undefined) {
    const body = typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null');
    return { status: 200, headers: { 'content-type': 'application/json' }, cookies: [], body };
  }
  const { statusCode: status, headers = {}, cookies = [], body = '', isBase64Encoded = false } = result;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    return undefined;
  if (typeof body !== 'string' || !isRecord(headers) || !Array.isArray(cookies)) return undefined;
  try {
    return {
      status,
      headers: responseHeaders(headers, body !== ''),
      cookies: cookies.map((cookie) => validated('set-cookie', cookie)),
      body: isBase64Encoded ? Buffer.from(body, 'base64') : body,
    };
  } catch {
    return undefined; // HTTP does not allow the header
  }
}

function responseHeaders(given: Record<string, unknown>, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = hasBody ? { 'content-type': 'text/plain;charset=UTF-8' } : {};
  for (const [name, value] of Object.entries(given)) {
    const lowerCased = name.toLowerCase();
    if (value !== undefined && !framingHeaders.has(lowerCased))
      headers[lowerCased] = validated(lowerCased, value);
  }
  return headers;
}

function validated(name: string, value: unknown): string {
  if (value === null || typeof value === 'object') throw new TypeError(`Header ${name} is not a text`);
  validateHeaderName(name);
  validateHeaderValue(name, String(value));
  return String(value);
}
