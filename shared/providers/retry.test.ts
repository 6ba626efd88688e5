import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { takeMetrics } from '../platform/metrics.ts';
import { type HttpAnswer, retryAfterMs, TransportError } from '../platform/transport.ts';
import { counted, withRetry } from './client.ts';

const NOW = Date.UTC(2026, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const answer = (status: number, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  headers,
  body: Buffer.alloc(0),
});

/** Tries that give these, one after the other, each after `tookMs`. */
function scripted(outcomes: readonly (HttpAnswer | TransportError)[], tookMs = 0) {
  const calls: { at: number; timeoutMs: number }[] = [];
  const attempt = async (timeoutMs: number) => {
    const outcome = outcomes[calls.length];
    calls.push({ at: Date.now() - NOW, timeoutMs });
    if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
    if (!outcome) throw new Error('asked more often than expected');
    if (outcome instanceof TransportError) throw outcome;
    return outcome;
  };
  return { attempt, calls };
}

async function run(outcomes: readonly (HttpAnswer | TransportError)[], timeoutMs = 8_000, tookMs = 0) {
  const { attempt, calls } = scripted(outcomes, tookMs);
  const outcome = withRetry(attempt, timeoutMs).then(
    ({ status }) => status,
    (error: TransportError) => error.message,
  );
  await vi.runAllTimersAsync();
  return { outcome: await outcome, calls };
}

const broken = new TransportError('connection', 'ECONNRESET');

describe('a request', () => {
  it.each([answer(502), answer(503), answer(504), broken])('is repeated once after %o', async (first) => {
    const failure = first instanceof TransportError ? first.message : first.status;
    expect(await run([first, answer(200)])).toMatchObject({ outcome: 200, calls: { length: 2 } });
    expect(await run([first, first])).toMatchObject({ outcome: failure, calls: { length: 2 } });
  });

  it.each([200, 301, 404, 429, 500, 'timeout', 'answer'] as const)(
    'is not repeated after %s',
    async (given) => {
      const first =
        typeof given === 'number'
          ? answer(given, { 'retry-after': '1' })
          : new TransportError(given, 'trouble');
      const outcome = typeof given === 'number' ? given : 'trouble';
      expect(await run([first])).toMatchObject({ outcome, calls: { length: 1 } });
    },
  );
});

describe('the pause before the second try', () => {
  it.each([
    [0, 50],
    [0.5, 150],
    [0.999, 249.8],
  ])('is 50 to 250 ms at random: %d', async (random, pause) => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(random);

    const { calls } = await run([answer(503), answer(200)]);

    expect(calls[1]?.at).toBeCloseTo(pause, -1);
  });

  it.each([
    ['2', [0, 2_000]],
    ['8', [0]], // all of the time
    ['86400', [0]],
  ])('is as long as Retry-After asks, if there is time: %s', async (header, starts) => {
    const { calls } = await run([answer(503, { 'retry-after': header }), answer(200)]);

    expect(calls.map(({ at }) => at)).toEqual(starts);
  });
});

describe('the time of both tries together', () => {
  it('is bounded: the second try has what the first left', async () => {
    const { calls } = await run([answer(503, { 'retry-after': '1' }), answer(200)], 8_000, 3_000);

    expect(calls).toEqual([
      { at: 0, timeoutMs: 8_000 },
      { at: 4_000, timeoutMs: 4_000 },
    ]);
  });

  it.each<[HttpAnswer | TransportError, number | string]>([
    [answer(503), 503],
    [broken, 'ECONNRESET'],
  ])('leaves %o as it is where nothing is left', async (first, outcome) => {
    expect(await run([first], 2_000, 1_990)).toMatchObject({ outcome, calls: { length: 1 } });
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thu, 01 Jan 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    ['9999999999999', undefined],
    [undefined, undefined],
  ])('%j is %j ms', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected);
  });
});

describe('the metrics of a request', () => {
  const isLimit = ({ status }: HttpAnswer) => status === 429 || status === 418;
  const metrics = () => JSON.parse(takeMetrics('n') ?? '{}');
  beforeEach(() => {
    takeMetrics('left over');
  });

  it.each<[number | TransportError, string]>([
    [200, 'UpstreamOk'],
    [400, 'UpstreamRefused'],
    [402, 'UpstreamRefused'],
    [404, 'UpstreamNotFound'],
    [429, 'UpstreamRateLimited'],
    [418, 'UpstreamRateLimited'],
    [403, 'UpstreamFailed'],
    [503, 'UpstreamFailed'],
    [new TransportError('timeout', 'no answer'), 'UpstreamTimedOut'],
    [broken, 'UpstreamFailed'],
  ])('count a %s as %s, with its time in milliseconds', async (given, name) => {
    const outcome = counted(async () => {
      vi.advanceTimersByTime(87.4);
      if (given instanceof TransportError) throw given;
      return answer(given);
    }, isLimit);

    await outcome.catch((error) => expect(error).toBe(given));
    expect(metrics()).toMatchObject({ [name]: 1, UpstreamLatency: [87] });
  });

  it('count nothing for a request that was refused before it was sent', async () => {
    const error = new Error('not paid for');
    await expect(counted(() => Promise.reject(error), isLimit)).rejects.toBe(error);
    expect(metrics()).toEqual({});
  });
});
