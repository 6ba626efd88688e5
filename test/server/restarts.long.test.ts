/** A month of restarts and kills, on a clock that goes on by some hours with each: what is promised for a server that nobody looks after. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSimulated } from '../../local/simulated/index.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { main as keys } from '../../scripts/keys.ts';
import { useObjects } from '../../shared/platform/objects.ts';
import { useTables } from '../../shared/platform/open-table.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { clockAt } from '../contract/clock.ts';
import { seededRandom } from '../random.ts';
import { runHere } from '../run-here.ts';
import { get, newFolder, startServerProcess } from './server.testing.ts';

const RESTARTS_A_DAY = 3;
const DAYS = 30;
/** Of which jobs reserve three quarters, so that callers use up the rest on every day. */
const BUDGET = 1_000;
const CALLERS_REQUESTS = 60;

test('a month of restarts and kills: each start succeeds, keys and prices stay, and the plan is never exceeded', {
  timeout: 30 * MINUTE_MS,
}, async () => {
  const random = seededRandom(45);
  const store = newFolder();
  const clock = clockAt(Date.UTC(2027, 3, 1, 0, 3));
  onTestFinished(clock.close);
  const coins = simulatedEntries(400);
  const simulated = await startSimulated({ coins, now: Date.now });
  onTestFinished(() => simulated.close());
  const environment = {
    ...simulated.environment,
    NODE_OPTIONS: clock.execArgv.join(' '),
    ...{ NODE_ENV: 'production', CLIENT_API_KEY: 'application', UPSTREAM_CLIENT_PERCENT: '100' },
    ...{ UPSTREAM_MONTHLY_BUDGET: String(BUDGET), SNAPSHOT_MINUTES: '60', ID_SOURCES: '' },
  };
  const start = () => startServerProcess(['--store', store], environment);
  const asked = () => Object.values(simulated.provider.calls.byPath).reduce((sum, count) => sum + count, 0);
  const folder = () => join(store, readdirSync(store)[0] ?? '');

  const first = await start();
  await expect.poll(async () => (await get(`${first.url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
  onTestFinished(() => {
    useObjects(undefined);
    useTables(undefined);
  });
  const { key } = JSON.parse((await runHere(keys, ['add', 'alice', '--store', folder()])).stdout);
  await first.end('SIGKILL');

  const spent: number[] = [];
  const refused = new Set<number>();
  for (let day = 0; day < DAYS; day += 1) {
    const before = asked();
    for (let n = 0; n < RESTARTS_A_DAY; n += 1) {
      const server = await start();
      expect((await get(`${server.url}/healthz`)).status).toBe(200);
      // Coins that no list has; each costs a request as long as the budget allows it.
      const inactive = coins.filter(({ is_active }) => !is_active);
      const answers = Array.from({ length: CALLERS_REQUESTS }, (_, index) => {
        const { id = '' } =
          inactive[((day * RESTARTS_A_DAY + n) * CALLERS_REQUESTS + index) % inactive.length] ?? {};
        return get(`${server.url}/api/marketdata/ticker/${id}`, { 'x-api-key': key }).catch(() => undefined);
      });
      await sleep(random() * 5_000);
      if (random() < 0.3) {
        const answered = await Promise.all(answers);
        for (const answer of answered) expect([200, 404, 429, 502, 503, 504]).toContain(answer?.status);
        expect(answered.some((answer) => answer?.status === 401)).toBe(false);
        if (answered.some((answer) => answer?.text.includes('upstream budget'))) refused.add(day);
      }
      const signal = random() < 0.7 ? 'SIGKILL' : 'SIGTERM';
      const status = await server.end(signal);
      expect(status).toBe(signal === 'SIGTERM' ? 0 : null);
      expect(server.printed.err).not.toMatch(/cannot be written|malformed|corrupt/i);
      clock.moveBy(DAY_MS / RESTARTS_A_DAY);
    }
    spent.push(asked() - before);
  }

  const total = asked();
  const database = new DatabaseSync(join(folder(), 'server.db'), { readOnly: true });
  const row = database.prepare("SELECT content FROM rows WHERE key = 'coinpaprika#quota#2027-04'").get();
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  database.close();
  const counted = JSON.parse(String(row?.content)).spent;
  expect(total).toBeLessThanOrEqual(BUDGET);
  // What is killed between a reservation and its request is lost, and nothing else.
  expect(counted).toBeGreaterThanOrEqual(total);
  expect(total).toBeGreaterThan(BUDGET * 0.25);
  expect(refused.size).toBeGreaterThan(0);

  clock.moveBy(HOUR_MS);
  const last = await start();
  await expect.poll(async () => (await get(`${last.url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
  const answer = await get(`${last.url}/api/marketdata/ticker/btc-bitcoin`, { 'x-api-key': key });
  expect(answer.status).toBe(200);
  expect(Date.now() - Date.parse(answer.headers.get('x-data-time') ?? '')).toBeLessThan(HOUR_MS);
  expect(await last.end()).toBe(0);
});
