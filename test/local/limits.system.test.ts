import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { echoSource, get, obedient, serveFixture } from './fixture.ts';

test('a body above 10 MB is refused, and one above what Lambda takes as well', async () => {
  const { url } = await serveFixture(obedient());
  const post = (size: number) =>
    get(url, { method: 'POST', body: 'x'.repeat(size), headers: { 'content-type': 'text/plain' } });
  const refusal = { status: 413, body: { message: 'Request Entity Too Large' } };

  expect(await post(10 * 1024 * 1024 + 1)).toMatchObject(refusal);
  expect(await post(7 * 1024 * 1024)).toMatchObject(refusal);
  expect(await post(5 * 1024 * 1024)).toMatchObject({ status: 200 });
});

test('headers above 10,240 bytes are refused', async () => {
  const { url } = await serveFixture(obedient());
  const refusal = { status: 431, body: { message: 'Request Header Fields Too Large' } };
  expect(await get(url, { headers: { 'x-long': 'x'.repeat(10_240) } })).toMatchObject(refusal);
  expect(await get(url, { headers: { 'x-long': 'x'.repeat(70_000) } })).toMatchObject(refusal);
  expect(await get(url, { headers: { 'x-long': 'x'.repeat(9_000) } })).toMatchObject({ status: 200 });
});

test('an answer above 6 MB is an internal error', async () => {
  const code = `export const handler = async () => ({ statusCode: 200, body: 'x'.repeat(6_300_000) });`;
  const { url, lines } = await serveFixture(obedient({ code }));
  expect(await get(url)).toMatchObject({ status: 500, body: { message: 'Internal Server Error' } });
  expect(lines.join('\n')).toContain('more than 6 MB');
});

test('a function that times out is a 503, and a new process gets the next event', async () => {
  const { url, lines } = await serveFixture(obedient({ timeout: 3 }));
  const before = await get(url);

  const startedAt = Date.now();
  expect(await get(`${url}/?sleep=60000`)).toMatchObject({
    status: 503,
    body: { message: 'Service Unavailable' },
  });
  expect(Date.now() - startedAt).toBeLessThan(25_000); // the integration waits for 30 s

  const after = await get(url);
  expect(after).toMatchObject({ status: 200, body: { events: 1 } });
  expect(after.body.pid).not.toBe(before.body.pid);
  expect(lines).toContain('[Obedient] Task timed out after 3.00 seconds');
}, 60_000);

test('an integration that times out is a 503, and the function goes on', async () => {
  const { url } = await serveFixture({ ...obedient(), integrationTimeoutMs: 3000 });
  const before = await get(url);
  const end = join(mkdtempSync(join(inject('runFolder'), 'limits-')), 'end');
  expect(await get(`${url}/?until=${end}`)).toMatchObject({ status: 503 });
  writeFileSync(end, '');
  expect(await get(url)).toMatchObject({ status: 200, body: { pid: before.body.pid, events: 3 } });
}, 60_000);

test('a process that ends during an event is a 500, and is replaced', async () => {
  const { url } = await serveFixture(obedient());
  let before = await get(url);
  for (const how of ['exit=3', 'exit=0', 'reject=boom']) {
    expect(await get(`${url}/?${how}`)).toMatchObject({
      status: 500,
      body: { message: 'Internal Server Error' },
    });
    const after = await get(url);
    expect(after).toMatchObject({ status: 200, body: { events: 1 } });
    expect(after.body.pid).not.toBe(before.body.pid);
    before = after;
  }
});

test('a thrown error is a 500, printed, and the process stays', async () => {
  const { url, lines } = await serveFixture(obedient());
  const before = await get(url);
  expect(await get(`${url}/?throw=broken`)).toMatchObject({
    status: 500,
    body: { message: 'Internal Server Error' },
  });
  expect(await get(url)).toMatchObject({ body: { pid: before.body.pid, events: 3 } });
  await expect.poll(() => lines.join('\n')).toContain('[Obedient] Error: broken');
});

test('a function that cannot be loaded is a 500 at every request, and says why', async () => {
  const { url, lines } = await serveFixture(obedient({ code: `import 'not-there';\n${echoSource}` }));
  expect(await get(url)).toMatchObject({ status: 500 });
  expect(await get(url)).toMatchObject({ status: 500 });
  await expect.poll(() => lines.join('\n')).toContain("Cannot find package 'not-there'");
});
