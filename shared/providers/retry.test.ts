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

describe('a request', () => {
  it.each([502, 503, 504])('is made once more after a %i', async (status) => {
    const { outcome, calls } = await run([answer(status), answer(200)]);

    expect(outcome).toBe(200);
    expect(calls).toHaveLength(2);
  });

  it.each([200, 301, 400, 401, 402, 403, 404, 408, 429, 500, 501])(
    'is made once where it gives a %i',
    async (status) => {
      const { outcome, calls } = await run([answer(status, { 'retry-after': '1' })]);

      expect(outcome).toBe(status);
      expect(calls).toHaveLength(1);
    },
  );

  it('is made once more after a broken connection', async () => {
    const { outcome, calls } = await run([new TransportError('connection', 'ECONNRESET'), answer(200)]);

    expect(outcome).toBe(200);
    expect(calls).toHaveLength(2);
  });

  it.each(['timeout', 'answer'] as const)(
    'is made once where the trouble is of the kind %s',
    async (kind) => {
      const { outcome, calls } = await run([new TransportError(kind, 'trouble')]);

      expect(outcome).toBe('trouble');
      expect(calls).toHaveLength(1);
    },
  );

  it('is never made a third time', async () => {
    const broken = new TransportError('connection', 'ECONNRESET');

    expect(await run([answer(503), answer(503)])).toMatchObject({ outcome: 503, calls: { length: 2 } });
    expect(await run([broken, broken])).toMatchObject({ outcome: 'ECONNRESET', calls: { length: 2 } });
  });
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
    ['2', 2_000],
    ['Thu, 01 Jan 2026 00:00:03 GMT', 3_000],
  ])('is as long as Retry-After asks: %s', async (header, pause) => {
    const { calls } = await run([answer(503, { 'retry-after': header }), answer(200)]);

    expect(calls.map(({ at }) => at)).toEqual([0, pause]);
  });

  it.each([
    ['the time that is left', '8'],
    ['any time', '86400'],
  ])('is not made where Retry-After asks for more than %s', async (_what, header) => {
    const { outcome, calls } = await run([answer(503, { 'retry-after': header })]);

    expect(outcome).toBe(503);
    expect(calls).toHaveLength(1);
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

  it.each<[string, HttpAnswer | TransportError, number | string]>([
    ['an answer', answer(503), 503],
    ['an error', new TransportError('connection', 'no connection within 2 s'), 'no connection within 2 s'],
  ])('leaves %s as it is where nothing is left', async (_what, first, expected) => {
    const { outcome, calls } = await run([first], 2_000, 1_990);

    expect(outcome).toBe(expected);
    expect(calls).toHaveLength(1);
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

const answering = (status: number) => async () => answer(status);
const isLimit = ({ status }: HttpAnswer) => status === 429;
const failing = (error: Error) => () => Promise.reject(error);

describe('the metrics of a request', () => {
  beforeEach(() => {
    takeMetrics('left over');
  });

  it.each([
    [200, 'UpstreamOk'],
    [400, 'UpstreamRefused'],
    [402, 'UpstreamRefused'],
    [404, 'UpstreamNotFound'],
    [429, 'UpstreamRateLimited'],
    [403, 'UpstreamFailed'],
    [503, 'UpstreamFailed'],
  ])('count a %i as %s, with its time in milliseconds', async (status, name) => {
    const given = counted(async () => {
      vi.advanceTimersByTime(87.4);
      return answer(status);
    }, isLimit);

    expect((await given).status).toBe(status);
    expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ [name]: 1, UpstreamLatency: [87] });
  });

  it('count what is a limit in the provider’s own way as one', async () => {
    await counted(answering(402), () => true);

    expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ UpstreamRateLimited: 1 });
  });

  it.each([
    [new TransportError('timeout', 'no answer'), 'UpstreamTimedOut'],
    [new TransportError('connection', 'refused'), 'UpstreamFailed'],
  ])('count %s as %s', async (error, name) => {
    await expect(counted(failing(error), isLimit)).rejects.toBe(error);

    expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ [name]: 1, UpstreamLatency: [0] });
  });

  it('count nothing for a request that was refused before it was made', async () => {
    const error = new Error('not paid for');
    await expect(counted(failing(error), isLimit)).rejects.toBe(error);

    expect(takeMetrics('n')).toBeUndefined();
  });
});
