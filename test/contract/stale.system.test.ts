import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publicFor } from '../../shared/http/cache-control.ts';
import { type Clock, clockAt } from './clock.ts';
import { ageOf, dataOf, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const PAST_LIFETIME_MS = 1100;
const UPSTREAM_TIMEOUT_MS = 3_000;

describe.each([
  ['a container', false],
  ['a container that is frozen between events', true],
])('%s, when a ticker is past its lifetime', (_name, freeze) => {
  let clock: Clock;
  let service: Service;
  let env: Record<string, string> = {};
  beforeEach(async () => {
    clock = clockAt(Date.now());
    const settings = { TICKER_FRESH_SECONDS: '1', UPSTREAM_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS), ...env };
    service = await startService({ freeze, execArgv: clock.execArgv, env: settings });
  });
  afterEach(async () => {
    await service.local.close();
    clock.close();
  });

  describe('on a machine that may be busy', () => {
    beforeAll(() => {
      env = { STALE_WAIT_MS: '10000' };
    });
    afterAll(() => {
      env = {};
    });

    it('gives the new one where it comes in time', async () => {
      await service.get(TICKER);
      clock.moveBy(PAST_LIFETIME_MS);

      const answer = await service.get(TICKER);

      expect(answer.headers['x-data-quality']).toBe('exact');
      expect(service.provider.calls.total).toBe(2);
    });
  });

  it.each(['status=500', 'status=429', 'html=403', 'drop'])(
    'gives the old one, marked, where the provider fails with %s',
    async (fault) => {
      const first = dataOf(await service.get(TICKER));
      clock.moveBy(PAST_LIFETIME_MS);
      service.provider.setFault(fault);

      const answer = await service.get(TICKER);

      expect(dataOf(answer)).toEqual(first);
      expect(answer.headers).toMatchObject({
        'x-data-quality': 'stale',
        'cache-control': publicFor(0),
      });
      expect(ageOf(answer)).toBeGreaterThanOrEqual(1);
    },
  );

  it('waits for a slow provider no longer than a moment, and then for the same or a new request', async () => {
    const first = dataOf(await service.get(TICKER));
    clock.moveBy(PAST_LIFETIME_MS);
    service.provider.setFault('hang');

    const asked = performance.now();
    const stale = await service.get(TICKER);

    expect(performance.now() - asked).toBeLessThan(UPSTREAM_TIMEOUT_MS);
    expect(dataOf(stale)).toEqual(first);
    expect(stale.headers['x-data-quality']).toBe('stale');

    service.provider.setFault(null);
    await sleep(UPSTREAM_TIMEOUT_MS + 100); // what hangs is given up by then, whether the process slept or not
    await expect
      .poll(async () => (await service.get(TICKER)).headers['x-data-quality'], { interval: 500 })
      .toBe('exact');
  });
});
