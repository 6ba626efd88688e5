import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const compress = promisify(gzip);

/** The provider sends this with every 200, and with a 301 and a 402 too. */
const cacheable = {
  'Cache-Control': 'public, max-age=60, s-maxage=60, stale-while-revalidate=10, stale-if-error=600',
};

/** 200 with data that the provider made at `madeMs` and that is `ageSeconds` old. */
export function ok(data: unknown, contentType: string, madeMs: number, ageSeconds: number): Answer {
  return {
    status: 200,
    headers: {
      ...cacheable,
      'Content-Type': contentType,
      'Last-Modified': new Date(madeMs).toUTCString(),
      Age: String(ageSeconds),
      'CF-Cache-Status': 'HIT',
    },
    body: JSON.stringify(data),
  };
}

export function failure(status: number, error: string): Answer {
  const headers = status === 402 ? { ...cacheable, 'CF-Cache-Status': 'MISS' } : {};
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ error }),
  };
}

/** A 402 without a word: a limit is reached. */
export function limitReached(): Answer {
  return { ...failure(402, ''), body: '' };
}

/** The provider's answer to an unknown path, which is not JSON. */
export function unknownRoute(): Answer {
  return { status: 404, headers: { 'Content-Type': 'text/plain' }, body: '404 page not found' };
}

export function redirect(status: number, location: string): Answer {
  return {
    status,
    headers: { ...cacheable, 'Content-Type': 'text/html; charset=utf-8', Location: location },
    body: `<a href="${location.replaceAll('&', '&amp;')}">Moved</a>.\n`,
  };
}

/** The bytes of an answer, and the headers that describe them: compressed if the client takes gzip. */
export async function encode(
  answer: Answer,
  acceptEncoding: string | undefined,
): Promise<{ headers: Record<string, string>; bytes: Buffer }> {
  const plain = Buffer.from(answer.body);
  const zipped = /\bgzip\b/.test(acceptEncoding ?? '') && plain.length > 0;
  const bytes = zipped ? await compress(plain) : plain;
  const encoding: Record<string, string> = zipped ? { 'Content-Encoding': 'gzip' } : {};
  return { headers: { ...answer.headers, ...encoding, 'Content-Length': String(bytes.length) }, bytes };
}

export async function send(
  response: ServerResponse,
  answer: Answer,
  acceptEncoding: string | undefined,
): Promise<void> {
  const { headers, bytes } = await encode(answer, acceptEncoding);
  response.writeHead(answer.status, headers).end(bytes);
}
