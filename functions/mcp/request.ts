import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiError } from '../../shared/http/errors.ts';
import { onlyHeader } from '../../shared/http/middleware/pipeline-request.ts';

/** The headers that clients of the protocol send; the distribution does not pass on `accept`. */
const BOTH_KINDS = 'application/json, text/event-stream';
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** The part of a request that the protocol reads, without keys. Throws 403 and 413. */
export function requestOf(event: APIGatewayProxyEventV2, maxBytes: number): Request {
  refuseStrangePages(onlyHeader(event.headers, 'origin'));
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (body.length > maxBytes) throw ApiError.bodyTooLarge(maxBytes);
  const headers = Object.entries(event.headers ?? {}).flatMap(([name, value = '']): [string, string][] =>
    /^(content-type$|mcp-)/i.test(name) ? [[name, value]] : [],
  );
  const accept = onlyHeader(event.headers, 'accept');
  // The response is JSON, so clients that accept JSON are served whether or not they also accept event streams.
  const takesJson = accept === '' || /application\/json|\*\/\*/.test(accept);
  headers.push(['accept', takesJson ? BOTH_KINDS : accept]);
  return new Request('http://mcp.invalid', { method: 'POST', headers, body });
}

/**
 * Without a key, a page whose name resolves to this machine could send requests as its user (DNS rebinding), which the protocol
 * forbids. In production such a page lacks the key.
 */
function refuseStrangePages(origin: string): void {
  if (origin === '' || process.env.NODE_ENV === 'production' || LOOPBACK.test(origin)) return;
  throw new ApiError(403, `Forbidden: web pages of ${origin.slice(0, 200)} may not use this server`);
}
