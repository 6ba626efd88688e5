import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiFailure } from './failure.ts';
import { type CallOptions, createClient } from './index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Reply = readonly [status: number | 'unreachable', retryAfter?: number | string];
const OK: Reply = [200];

/** A client that is answered so, one after the other; `after` fills with the seconds at which it was asked. */
function clientOf(answers: readonly Reply[], options: CallOptions = { retry: true }) {
  const after: number[] = [];
  const start = Date.now();
  const client = createClient({
    baseUrl: 'http://service',
    ...options,
    fetch: async () => {
      const [status, retryAfter] = answers[after.length] ?? OK;
      after.push((Date.now() - start) / 1000);
      if (status === 'unreachable') throw new TypeError('fetch failed');
      return Response.json(status === 200 ? { success: true, data: {} } : { success: false, error: 'no' }, {
        status,
        headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
      });
    },
  });
  return { client, after };
}

/** The status with which a call ends, once all time has passed that it may want. */
async function outcome(call: Promise<unknown>): Promise<number | undefined> {
  const settled = call.then(
    () => 200,
    (error: unknown) => (error instanceof ApiFailure ? error.status : Promise.reject(error)),
  );
  await vi.advanceTimersByTimeAsync(600_000);
  return await settled;
}

const id = 'btc-bitcoin';
const quote = { tokenIn: 'ETH', tokenOut: '0x0', amount: '1' };
const grant = { network: 'local', address: '0x0' } as const;

test('without retry a call is one try', async () => {
  const { client, after } = clientOf([[429, 1]], {});
  expect(await outcome(client.marketdata.ticker({ id }))).toBe(429);
  expect(after).toHaveLength(1);
});

describe('with retry', () => {
  test('the wait is as long as Retry-After says', async () => {
    const { client, after } = clientOf([[429, 57], [503, 3], OK]);
    expect(await outcome(client.marketdata.ticker({ id }))).toBe(200);
    expect(after).toEqual([0, 57, 60]);
  });

  test('without Retry-After it is half a second to a second, then twice that', async () => {
    const { client, after } = clientOf([[504], ['unreachable'], OK]);
    expect(await outcome(client.marketdata.ticker({ id }))).toBe(200);
    const [first = 0, second = 0, third = 0] = after;
    expect(second - first).toBeGreaterThanOrEqual(0.5);
    expect(second - first).toBeLessThanOrEqual(1);
    expect(third - second).toBeGreaterThanOrEqual(1);
    expect(third - second).toBeLessThanOrEqual(2);
  });

  test.each([0, 'Thu, 01 Jan 2015 00:00:00 GMT'])(
    'the wait is no shorter if Retry-After is %s',
    async (passed) => {
      const { client, after } = clientOf([[429, passed], [503, passed], OK]);
      expect(await outcome(client.marketdata.ticker({ id }))).toBe(200);
      const [first = 0, second = 0, third = 0] = after;
      expect(second - first).toBeGreaterThanOrEqual(0.5);
      expect(third - second).toBeGreaterThanOrEqual(1);
    },
  );

  test('a call is tried three times, unless the caller sets another number', async () => {
    const failing: Reply[] = Array.from({ length: 9 }, () => [503, 1]);
    const usual = clientOf(failing);
    expect(await outcome(usual.client.marketdata.ticker({ id }))).toBe(503);
    expect(usual.after).toHaveLength(3);
    const five = clientOf(failing, { retry: { tries: 5 } });
    expect(await outcome(five.client.marketdata.ticker({ id }))).toBe(503);
    expect(five.after).toHaveLength(5);
  });

  test('a wait past 90 seconds, or past the caller’s limit, is refused at once', async () => {
    const day = clientOf([[429, 86_400]]);
    const call = day.client.marketdata.ticker({ id });
    await expect(call).rejects.toMatchObject({ status: 429, retryAfterSeconds: 86_400 });
    const short = clientOf([[429, 6], [429, 6], OK], { retry: { seconds: 10 } });
    expect(await outcome(short.client.marketdata.ticker({ id }))).toBe(429);
    expect(short.after).toEqual([0, 6]);
  });

  test.each([400, 401, 403, 404, 409, 422, 500, 502])('a %i is not retried', async (status) => {
    const { client, after } = clientOf([[status], OK]);
    expect(await outcome(client.marketdata.ticker({ id }))).toBe(status);
    expect(after).toHaveLength(1);
  });

  test.each([503, 504, 'unreachable'] as const)(
    'a POST that was answered %s may have been done, so it is not sent again',
    async (status) => {
      const { client, after } = clientOf([[status, 1], OK]);
      await outcome(client.uniswap.quote(quote));
      expect(after).toHaveLength(1);
    },
  );

  test('a POST that was refused for its rate was not done, so it is', async () => {
    const { client, after } = clientOf([[429, 1], OK]);
    expect(await outcome(client.uniswap.quote(quote))).toBe(200);
    expect(after).toEqual([0, 1]);
  });

  test('a POST with an Idempotency-Key is sent again', async () => {
    const { client, after } = clientOf([['unreachable'], [503, 2], OK]);
    expect(await outcome(client.faucet.request(grant))).toBe(200);
    expect(after).toHaveLength(3);
  });

  test('a signal ends the wait', async () => {
    const { client, after } = clientOf([[429, 60], OK]);
    const controller = new AbortController();
    const call = client.marketdata.ticker({ id }, { signal: controller.signal });
    const rejected = expect(call).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(30_000);
    controller.abort(new Error('enough'));
    await rejected;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(after).toEqual([0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
