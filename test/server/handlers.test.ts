import { expect, it, vi } from 'vitest';
import { answerEvent } from '../../server/handlers.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { eventOf } from '../pipeline/event.ts';

async function answerWith(handler: LambdaHandler) {
  const log = vi.fn();
  const event = eventOf({ path: '/api/nothing' });
  const limits = { timeoutMs: 20, log, load: async () => handler };
  const { body, ...answer } = (await answerEvent('time/now', event, limits)) as { body: string };
  return { ...answer, body: JSON.parse(body), log: log.mock.calls.flat() };
}

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

it('is a 504 at the limit of a route, whatever its handler waits for', async () => {
  expect(await answerWith(() => new Promise(() => {}))).toEqual({
    ...{ statusCode: 504, headers, log: [] },
    body: { success: false, error: 'The service did not answer within 0.02 seconds' },
  });
});

it('is a 500 if a handler throws, which only the log explains', async () => {
  expect(await answerWith(() => Promise.reject(new Error('a fault')))).toEqual({
    ...{ statusCode: 500, headers, log: ['time/now failed: a fault'] },
    body: { success: false, error: 'The service failed' },
  });
});

it('is told how much time is left', async () => {
  const answer = await answerWith(async (_event, context) => ({
    statusCode: 200,
    body: JSON.stringify(context.getRemainingTimeInMillis()),
  }));
  expect(answer.body).toBeGreaterThan(0);
  expect(answer.body).toBeLessThanOrEqual(20);
});
