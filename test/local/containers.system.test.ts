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

test('a process handles one event at a time, in their order', async () => {
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

test('an event that finds all containers busy starts another one, up to the limit', async () => {
  const service = await serveFixture(obedient({ code: meeting }), { containers: 2 });
  const folder = mkdtempSync(join(inject('runFolder'), 'meeting-'));
  const answers = await Promise.all([1, 2, 3, 4].map(() => get(`${service.url}/?folder=${folder}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.pid)).size).toBe(2);
  expect(service.functions[0]?.pids).toHaveLength(2);
});

test('with --freeze a process is stopped between events and keeps its state', async () => {
  const service = await serveFixture(obedient(), { freeze: true });
  const { pid } = (await get(service.url)).body;
  expect(service.functions[0]?.pids).toEqual([pid]);
  await waitForState(pid, 'T');
  expect(await get(service.url)).toMatchObject({ status: 200, body: { pid, events: 2 } });
  await waitForState(pid, 'T');

  await service.close();
  await expect(processState(pid)).rejects.toThrow('ENOENT');
});

test('a process starts with the first event and ends when it has been idle for a while, even frozen', async () => {
  const service = await serveFixture(obedient(), { idleMs: 1500, freeze: true });
  expect(service.functions[0]?.pids).toEqual([]);
  const first = await get(service.url);
  expect(service.functions[0]?.pids).toEqual([first.body.pid]);
  // An event in time keeps it, even one that takes longer than an idle process is kept.
  const second = await get(`${service.url}/?sleep=2000`);
  expect(second.body).toMatchObject({ pid: first.body.pid, events: 2 });
  await expect.poll(() => service.functions[0]?.pids).toEqual([]);
  await expect.poll(() => processState(first.body.pid).catch(() => 'gone')).toBe('gone');

  const third = await get(service.url);
  expect(third).toMatchObject({ status: 200, body: { events: 1 } });
  expect(third.body.pid).not.toBe(first.body.pid);
  expect(service.lines).toEqual([]);
});
