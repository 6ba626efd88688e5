import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiError } from '../../shared/http/errors.ts';
import { onlyHeader } from '../../shared/http/middleware/pipeline-request.ts';

/** What clients of the protocol send; the distribution keeps `accept` to itself. */
const BOTH_KINDS = 'application/json, text/event-stream';
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** The part of a request that the protocol reads: never a key. Throws 403, and 413. */
export function requestOf(event: APIGatewayProxyEventV2, maxBytes: number): Request {
  refuseStrangePages(onlyHeader(event.headers, 'origin'));
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (body.length > maxBytes) throw ApiError.bodyTooLarge(maxBytes);
  const headers = Object.entries(event.headers ?? {}).flatMap(([name, value = '']): [string, string][] =>
    /^(content-type$|mcp-)/i.test(name) ? [[name, value]] : [],
  );
  const accept = onlyHeader(event.headers, 'accept');
  // The answer is JSON, so that who takes JSON is served, whether or not it takes an event stream too.
  const takesJson = accept === '' || /application\/json|\*\/\*/.test(accept);
  headers.push(['accept', takesJson ? BOTH_KINDS : accept]);
  return new Request('http://mcp.invalid', { method: 'POST', headers, body });
}

/**
 * Without a key, a page that has its name resolved to this machine could ask as its user (DNS rebinding), which the
 * protocol forbids. In production such a page lacks the key.
 */
function refuseStrangePages(origin: string): void {
  if (origin === '' || process.env.NODE_ENV === 'production' || LOOPBACK.test(origin)) return;
  throw new ApiError(403, `Forbidden: web pages of ${origin.slice(0, 200)} may not use this server`);
}
