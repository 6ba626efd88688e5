import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../shared/http/errors.ts';
import { envelope } from '../../shared/http/middleware/envelope.ts';
import { errorReport } from '../../shared/http/middleware/error-report.ts';
import { requestMetrics } from '../../shared/http/middleware/request-metrics.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';

const redact = async (text: string) => text;

beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'production');
  vi.stubEnv('METRICS', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  takeMetrics('left over');
});

/** Sends one request through the outer part of the pipeline; returns its printed lines. */
async function linesOf(handle: () => unknown): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const handler = middy(handle)
    .use(requestMetrics({ route: 'demo/quote', write: (line) => lines.push(line) }))
    .use(envelope({ redact, redactData: redact }))
    .use(httpErrorHandler({ logger: false }))
    .use(errorReport({ route: 'demo/quote', redact }));
  await handler({} as APIGatewayProxyEventV2, {} as Context);
  for (const line of lines) expect(line).toMatch(/^\{[^\n]*\}\n$/);
  return lines.map((line) => JSON.parse(line));
}

describe('request metrics', () => {
  it.each<[string, string, () => unknown]>([
    ['an answer', '2xx', () => ({ price: 1 })],
    ['a refusal', '4xx', () => Promise.reject(ApiError.unauthorized())],
    ['an unforeseen failure', '5xx', () => Promise.reject(new TypeError('x is not a function'))],
    ['an answer that is no JSON', '5xx', () => 1n],
  ])('print exactly one line for %s, as %s', async (_case, status, handle) => {
    expect(await linesOf(handle)).toEqual([
      expect.objectContaining({ route: 'demo/quote', status, Requests: 1 }),
    ]);
  });

  it.each([
    [500, '12'],
    [502, undefined],
    [503, undefined],
    [504, undefined],
  ])('count a %i as a fault of version %s', async (status, version) => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '12');
    const [line] = await linesOf(() => Promise.reject(new ApiError(status, 'failed')));

    expect([line?.status, line?.version, line?.OwnFaults]).toEqual(['5xx', version, version && 1]);
  });

  it.each([
    ['production', undefined, 1],
    ['development', undefined, 0],
    ['development', 'on', 1],
    ['production', 'off', 0],
  ])('in %s with METRICS=%s print %i lines', async (nodeEnv, metrics, lines) => {
    vi.stubEnv('NODE_ENV', nodeEnv);
    vi.stubEnv('METRICS', metrics);

    expect(await linesOf(() => ({}))).toHaveLength(lines);
  });
});
