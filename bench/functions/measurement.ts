import { deepEqual } from 'node:assert/strict';
import { on } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startProcess } from '../deployed/process.ts';
import { KEY } from '../deployed/request.ts';
import { ticker } from './upstream.ts';
import type { Variant } from './variants.ts';

export interface Figures {
  readonly initMs: number;
  /** From the start of the process to its first answer, a call of the upstream included. */
  readonly firstAnswerMs: number;
  /** User and system time of the process up to its first answer. */
  readonly cpuMs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** After the first answer. */
  readonly rssBytes: number;
}

export const WARM_UP_CALLS = 5_000;
export const CALLS = 10_000;
const PATH = `/api/marketdata/ticker/${ticker.id}`;

const event = {
  version: '2.0',
  routeKey: 'GET /api/marketdata/ticker/{id}',
  rawPath: PATH,
  rawQueryString: '',
  headers: {
    accept: 'application/json',
    'accept-encoding': 'gzip, br',
    'content-length': '0',
    host: 'abcdefghij.execute-api.us-east-1.amazonaws.com',
    'user-agent': 'bench/1.0',
    'x-amzn-trace-id': 'Root=1-691f0000-000000000000000000000000',
    'x-api-key': KEY,
    'x-forwarded-for': '10.0.0.1',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
  },
  requestContext: {
    accountId: '123456789012',
    apiId: 'abcdefghij',
    domainName: 'abcdefghij.execute-api.us-east-1.amazonaws.com',
    domainPrefix: 'abcdefghij',
    http: {
      method: 'GET',
      path: PATH,
      protocol: 'HTTP/1.1',
      sourceIp: '10.1.0.1',
      userAgent: 'bench/1.0',
    },
    requestId: 'JKJaXmPLvHcESHA=',
    routeKey: 'GET /api/marketdata/ticker/{id}',
    stage: '$default',
    time: '21/Nov/2026:12:00:00 +0000',
    timeEpoch: 1795262400000,
  },
  pathParameters: { id: ticker.id },
  isBase64Encoded: false,
};

/** Runs a variant once in a fresh process. Rejects unless it answers the ticker in the envelope. */
export async function measure(variant: Variant, upstreamUrl: string): Promise<Figures> {
  const job = {
    bundle: pathToFileURL(join(variant.folder, 'index.mjs')).href,
    event: JSON.stringify(event),
    warmUpCalls: WARM_UP_CALLS,
    calls: CALLS,
  };
  const started = performance.now();
  const child = startProcess('functions/measure.mjs', JSON.stringify(job), {
    NODE_ENV: 'production',
    CLIENT_API_KEY: KEY,
    COINPAPRIKA_BASE_URL: upstreamUrl,
    REGISTRY_PATH: variant.registry,
  });
  const messages = on(child, 'message', { close: ['exit'] });
  const answer = await next<{ body: string }>(messages);
  const firstAnswerMs = performance.now() - started;
  const warm = await next<Omit<Figures, 'firstAnswerMs'>>(messages);
  if (!answer || !warm) throw new Error(`${variant.name} did not answer`);
  if (answer.body !== '{}') {
    const { success, data } = JSON.parse(answer.body);
    // What markets say of the price is ours alone.
    const { sources: _, ...figures } = data;
    deepEqual({ success, data: figures }, { success: true, data: ticker });
  }
  return { ...warm, firstAnswerMs };
}

/** The next message of the child, which is what `measure.mjs` sends; undefined where it ended without one. */
async function next<T>(messages: NodeJS.AsyncIterator<unknown[]>): Promise<T | undefined> {
  const { value } = await messages.next();
  return value?.[0] as T | undefined;
}
