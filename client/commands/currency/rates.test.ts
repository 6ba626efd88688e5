import { expect, test } from 'vitest';
import { euroRates, stubApi } from '../../../test/client/stub-api.ts';
import { ApiFailure } from '../../sdk/index.ts';
import { sessionRates } from '../currency.ts';

const MINUTE_MS = 60_000;

/** Rates with a clock that a test moves. */
function session(headers: Readonly<Record<string, string>> = {}) {
  const clock = { now: Date.UTC(2026, 0, 31, 12), isDown: false };
  const rates = () => {
    if (clock.isDown) throw new ApiFailure(503, 'No exchange rates are at hand');
    return euroRates();
  };
  const { api, calls } = stubApi({ rates }, headers);
  return { clock, calls, ask: sessionRates(api, () => clock.now) };
}

test('are asked for once, however many ask at the same time', async () => {
  const { ask, calls } = session();
  const [first, second] = await Promise.all([ask(), ask()]);
  expect(first).toBe(second);
  expect(await ask()).toBe(first);
  expect(calls).toEqual(['rates undefined']);
});

test.each([
  ['for ten minutes', {}, 10],
  ['for as long as the answer says', { 'cache-control': 'public, max-age=120, must-revalidate' }, 2],
  ['for what a cache has left of that', { 'cache-control': 'public, max-age=600', age: '540' }, 1],
])('are kept %s', async (_how, headers, minutes) => {
  const { ask, calls, clock } = session(headers);
  await ask();
  clock.now += minutes * MINUTE_MS - 1;
  await ask();
  expect(calls.length).toBe(1);
  clock.now += 1;
  await ask();
  expect(calls.length).toBe(2);
});

test('that could not be had are asked for again', async () => {
  const { ask, calls, clock } = session();
  clock.isDown = true;
  await expect(ask()).rejects.toThrow('No exchange rates');
  clock.isDown = false;
  expect((await ask()).data).toEqual(euroRates());
  expect(calls.length).toBe(2);
});
