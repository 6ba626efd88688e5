import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { get, obedient, serveFixture } from './fixture.ts';

/** Answers as soon as a second process has an event. */
const meeting = `
import { readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export const handler = async ({ queryStringParameters: { folder } }) => {
  writeFileSync(folder + '/' + process.pid, '');
  while (readdirSync(folder).length < 2) await sleep(10);
  return { pid: process.pid };
};`;

async function processState(pid: number): Promise<string | undefined> {
  // The state follows the command's name in parentheses (man 5 proc).
  return /\) (\S)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1];
}

async function waitForState(pid: number, state: string): Promise<void> {
  await expect.poll(() => processState(pid)).toBe(state);
}

test('a process takes one event at a time, in the order they came', async () => {
  const { url } = await serveFixture(obedient());
  const answers = await Promise.all(
    [0, 1, 2].map(async (place) => {
      await sleep(place * 30);
      return get(`${url}/?sleep=100`);
    }),
  );
  const bodies = answers.map(({ body }) => body);
  expect(bodies.map(({ events }) => events)).toEqual([1, 2, 3]);
  expect(new Set(bodies.map(({ pid }) => pid)).size).toBe(1);
  for (const [index, body] of bodies.slice(1).entries()) {
    expect(body.startedAt).toBeGreaterThanOrEqual(bodies[index]?.endedAt);
  }
});

test('with more containers, events that find all busy start another, up to the limit', async () => {
  const service = await serveFixture(obedient({ code: meeting }), { containers: 2 });
  const folder = mkdtempSync(join(inject('runFolder'), 'meeting-'));
  expect(service.functions[0]?.pids).toHaveLength(1);
  const answers = await Promise.all([1, 2, 3, 4].map(() => get(`${service.url}/?folder=${folder}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.pid)).size).toBe(2);
  expect(service.functions[0]?.pids).toHaveLength(2);
});

test('with --freeze a process stands still between events and keeps its state', async () => {
  const service = await serveFixture(obedient(), { freeze: true });
  const [pid = 0] = service.functions[0]?.pids ?? [];
  await waitForState(pid, 'T');

  expect(await get(service.url)).toMatchObject({ status: 200, body: { pid, events: 1 } });
  await waitForState(pid, 'T');
  expect(await get(service.url)).toMatchObject({ status: 200, body: { pid, events: 2 } });
  await waitForState(pid, 'T');

  await service.close();
  await expect(processState(pid)).rejects.toThrow('ENOENT');
});

test('a frozen process that times out is replaced', async () => {
  const { url } = await serveFixture(obedient({ timeout: 6 }), { freeze: true });
  expect(await get(`${url}/?sleep=60000`)).toMatchObject({ status: 503 });
  expect(await get(url)).toMatchObject({ status: 200, body: { events: 1 } });
});
