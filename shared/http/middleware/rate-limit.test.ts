import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limit.ts';

const WINDOW_MS = 60_000;

function limiterAt(limit: number, maxClients?: number) {
  const clock = { now: 1_000_000 };
  const options = { now: () => clock.now, ...(maxClients && { maxClients }) };
  return { clock, limiter: new RateLimiter(limit, options) };
}

/** Requests of a few clients with the time that passes before each. */
const traffic = (minPause: number) =>
  fc.array(
    fc.record({
      client: fc.constantFrom('a', 'b', 'c'),
      pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: minPause, max: 90_000 }), fc.constant(WINDOW_MS)),
    }),
    { minLength: 1, maxLength: 200 },
  );

describe('a rate limiter', () => {
  it('never lets more than the maximum pass in a window, and never refuses before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), traffic(0), (limit, requests) => {
        const { clock, limiter } = limiterAt(limit);
        const model = new Map<string, { start: number; count: number }>();
        for (const { client, pauseMs } of requests) {
          clock.now += pauseMs;
          const known = model.get(client);
          const window =
            known && clock.now - known.start < WINDOW_MS ? known : { start: clock.now, count: 0 };
          model.set(client, window);
          const allowed = window.count < limit;
          if (allowed) window.count += 1;
          expect(limiter.take(client)).toEqual({
            allowed,
            limit,
            remaining: limit - window.count,
            resetSeconds: Math.ceil((window.start + WINDOW_MS - clock.now) / 1000),
          });
        }
      }),
    );
  });

  it('never counts a request of one client for another', () => {
    fc.assert(
      fc.property(traffic(0), (requests) => {
        const together = limiterAt(5);
        const alone = limiterAt(5);
        for (const { client, pauseMs } of requests) {
          together.clock.now += pauseMs;
          alone.clock.now += pauseMs;
          const decision = together.limiter.take(client);
          if (client === 'a') expect(decision).toEqual(alone.limiter.take('a'));
        }
      }),
    );
  });

  it('locks no client out when the clock jumps backwards, and promises no reset beyond a minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), traffic(-90_000), (limit, requests) => {
        const { clock, limiter } = limiterAt(limit);
        for (const { client, pauseMs } of requests) {
          clock.now += pauseMs;
          const decision = limiter.take(client);
          expect(decision.resetSeconds).toBeGreaterThan(0);
          expect(decision.resetSeconds).toBeLessThanOrEqual(60);
        }
        clock.now -= 3_600_000;
        expect(limiter.take('a')).toEqual({ allowed: true, limit, remaining: limit - 1, resetSeconds: 60 });
      }),
    );
  });
});

describe('the memory of a rate limiter', () => {
  it.each([
    ['few requests each', 2, undefined, 65_536],
    ['all that they may', 1, 100, 100],
  ])('is bounded under any number of clients that make %s', (_what, limit, maxClients, bound) => {
    const { limiter } = limiterAt(limit, maxClients);
    const last = bound * 2;

    for (let client = 0; client <= last; client += 1) limiter.take(`client ${client}`);

    expect(limiter.clients).toBeLessThanOrEqual(bound);
    expect(limiter.clients).toBeGreaterThan(bound * 0.9);
    expect(limiter.take(`client ${last}`)).toMatchObject({ allowed: limit > 1, remaining: 0 });
    expect(limiter.take('client 0')).toMatchObject({ allowed: true, remaining: limit - 1 });
  });

  it('keeps a client that goes on asking beyond its limit, however many others come', () => {
    const { limiter } = limiterAt(1, 100);
    limiter.take('x');

    for (let client = 0; client < 1000; client += 1) {
      limiter.take(`client ${client}`);
      expect(limiter.take('x')).toMatchObject({ allowed: false });
    }
  });

  it('forgets first the client that it has seen longest ago', () => {
    const { limiter } = limiterAt(5, 2);
    limiter.take('a');
    limiter.take('b');
    limiter.take('a');

    limiter.take('c');

    expect(limiter.take('a', 0).remaining).toBe(3);
    expect(limiter.take('b', 0).remaining).toBe(5);
  });
});
