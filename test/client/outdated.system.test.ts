import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Clock, clockAt } from '../contract/clock.ts';
import { type EdgeCache, startEdgeCache } from './edge-cache.ts';
import { runProgram } from './program.ts';
import { type ClientService, startService } from './service.ts';

const HOUR_MS = 3_600_000;
const FRESH = /^Source: +simulated data, not real prices, as of [\d: -]+UTC(?:$|; daily closes)/m;

let clock: Clock;
let service: ClientService;
let cache: EdgeCache | undefined;

beforeEach(async () => {
  // Node's own `date` header goes by the real clock, so the tests' begins there.
  clock = clockAt(Date.now());
  service = await startService({ execArgv: clock.execArgv });
});
afterEach(async () => {
  await cache?.close();
  cache = undefined;
  await service.close();
  clock.close();
});

/** Runs a program whose clock is that of the test. */
async function run(program: string, url: string, args = ['BTC']) {
  return runProgram(program, args, { url, env: { NODE_OPTIONS: clock.execArgv.join(' ') } });
}

describe.each([
  ['that counts the age of what it has', true],
  ['that counts no age', false],
])('behind a cache %s', (_name, tellsAge) => {
  it('an answer given again past its lifetime, while the service answers 5xx, is said to be as old as it is', async () => {
    cache = await startEdgeCache(service.url, { tellsAge });
    expect((await run('cprice', cache.url)).stdout).toMatch(FRESH);

    clock.moveBy(13 * HOUR_MS); // beyond that the service has no stale ticker either
    service.setFault('status=500');
    const direct = await run('cprice', service.url);
    const { stdout } = await run('cprice', cache.url);
    const json = await run('cprice', cache.url, ['BTC', '--json']);

    expect(direct).toMatchObject({ code: 4, stderr: expect.stringContaining('CoinPaprika answered 500') });
    expect(cache.givenLate).toBe(2);
    expect(stdout).toMatch(
      /^Source: .*, as of [\d: -]+UTC, out of date, 1[34] hours old: the service gave no newer answer$/m,
    );
    expect(json.stderr).toMatch(/^Note: .*, out of date, 1[34] hours old: /);
  });

  it('so is a chart, when the service cannot be reached at all', async () => {
    cache = await startEdgeCache(service.url, { tellsAge });
    expect((await run('cchart', cache.url)).stdout).toMatch(FRESH);

    clock.moveBy(3 * HOUR_MS);
    cache.cutOff();

    expect((await run('cchart', cache.url)).stdout).toMatch(
      /^Source: .*, out of date, [34] hours old: the service gave no newer answer; daily closes/m,
    );
  });

  it('an answer given again within its lifetime is not out of date', async () => {
    cache = await startEdgeCache(service.url, { tellsAge });
    await run('cprice', cache.url);
    clock.moveBy(30_000);
    cache.cutOff();

    expect((await run('cprice', cache.url)).stdout).toMatch(FRESH);
  });
});

it.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])('a machine whose clock is an hour %s calls no fresh price old', async (_name, ms) => {
  await service.close();
  clock.moveBy(ms);
  vi.useRealTimers(); // all go by the right clock but the program
  service = await startService();
  cache = await startEdgeCache(service.url);

  expect((await run('cprice', service.url)).stdout).toMatch(FRESH);
  expect((await run('cprice', cache.url)).stdout).toMatch(FRESH); // not in the cache yet
  await sleep(1100); // a cache counts whole seconds
  expect((await run('cprice', cache.url)).stdout).toMatch(FRESH);
});
