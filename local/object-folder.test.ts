import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ObjectFolder } from './object-folder.ts';
import { type S3Server, serveObjects } from './s3.ts';

const uriEncoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
const CHIA = '/local/history/coins.v1/~xch-chia';

describe('the local S3 in a folder', () => {
  let folder: string;
  let s3: S3Server<ObjectFolder>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'marketdata-objects-'));
    s3 = await serveObjects(new ObjectFolder(folder));
  });
  afterEach(async () => {
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const put = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(s3.url + path, { method: 'PUT', body, headers });
  const get = (path: string, headers: Record<string, string> = {}) => fetch(s3.url + path, { headers });
  const restart = async () => {
    await s3.close();
    s3 = await serveObjects(new ObjectFolder(folder));
  };
  async function namesOf(
    prefix: string,
    encoded: (text: string) => string = encodeURIComponent,
  ): Promise<string[]> {
    const list = await (await get(`/local?list-type=2&prefix=${encoded(prefix)}`)).text();
    return [...list.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
  }

  it('returns a stored object with the same ETag, also after a restart', async () => {
    const { headers } = await put(CHIA, 'days');
    await restart();
    const answer = await get(CHIA);
    expect([await answer.text(), answer.headers.get('etag')]).toEqual(['days', headers.get('etag')]);
    expect((await get(CHIA, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    expect((await get(`${CHIA}x`)).status).toBe(404);
  });

  it('lets only one of several simultaneous puts create or replace an object', async () => {
    const statusesOf = async (headers: Record<string, string>) =>
      (await Promise.all(['a', 'b', 'c'].map((body) => put(CHIA, body, headers))))
        .map(({ status }) => status)
        .sort();
    expect(await statusesOf({ 'if-none-match': '*' })).toEqual([200, 412, 412]);
    const etag = (await get(CHIA)).headers.get('etag') ?? '';
    await put(CHIA, 'other', { 'if-match': etag });
    const next = (await get(CHIA)).headers.get('etag') ?? '';
    expect(await statusesOf({ 'if-match': next })).toEqual([200, 412, 412]);
    expect((await put(`${CHIA}x`, '', { 'if-match': next })).status).toBe(404);
  });

  it('deletes an object, with If-Match only the expected version', async () => {
    const etag = (await put(CHIA, 'days')).headers.get('etag') ?? '';
    const remove = (path: string, headers: Record<string, string> = {}) =>
      fetch(s3.url + path, { method: 'DELETE', headers });
    await put(CHIA, 'other days');
    const refusal = await remove(CHIA, { 'if-match': etag });
    expect([refusal.status, await refusal.text()]).toEqual([
      412,
      expect.stringContaining('<Code>PreconditionFailed</Code>'),
    ]);
    expect(await (await get(CHIA)).text()).toBe('other days');
    const current = (await get(CHIA)).headers.get('etag') ?? '';
    expect((await remove(CHIA, { 'if-match': current })).status).toBe(204);
    await restart();
    expect((await get(CHIA)).status).toBe(404);
    expect(await namesOf('history/')).toEqual([]);
    expect((await remove(CHIA)).status).toBe(204);
  });

  it('reads a part of the expected version only', async () => {
    const etag = (await put(CHIA, '0123456789')).headers.get('etag') ?? '';
    const part = await get(CHIA, { 'if-match': etag, range: 'bytes=2-4' });
    expect([part.status, await part.text()]).toEqual([206, '234']);
    expect(part.headers.get('content-range')).toBe('bytes 2-4/10');
    expect((await get(CHIA, { range: 'bytes=10-' })).status).toBe(416);
    expect((await put(CHIA, 'abcdefghij', { 'if-match': etag })).status).toBe(200);
    expect((await get(CHIA, { 'if-match': etag, range: 'bytes=2-4' })).status).toBe(412);
  });

  it.each([
    'coins.v1/~xch-chia-',
    'coins.v1/~bork-bork-SOL',
    'coins.v1/~%E6%88%98%E6%97%97',
    "coins.v1/~it's (odd)!*+",
    'coins.v1/~.hidden',
    `coins.v1/~${'long'.repeat(190)}/2026-11`,
  ])('distinguishes %s from other names, and lists it', async (name) => {
    const path = `/local/history/${name.split('/').map(encodeURIComponent).join('/')}`;
    for (const other of ['other', 'bork-bork-sol']) await put(`/local/history/coins.v1/~${other}`, other);
    await put(path, name);
    await restart();
    expect(await (await get(path)).text()).toBe(name);
    expect(await namesOf(`history/${name.slice(0, 7)}`)).toEqual(
      [`history/${name}`, 'history/coins.v1/~bork-bork-sol', 'history/coins.v1/~other'].sort(),
    );
    expect(await namesOf(`history/${name}`)).toEqual([`history/${name}`]);
  });

  /** Names, and the files in which earlier versions stored them. */
  describe.each([
    ["coins.v1/~it's (odd)!*", "~it's%20(odd)!*"],
    ["coins.v1/~toto-totoro-inu-%3F!'()*~", "~toto-totoro-inu-%253%46!'()*~"],
    ['coins.v1/~a+b', '~a%2bb'],
  ])('for %s', (name, file) => {
    /** The spelling of `encodeURIComponent`, in which earlier versions sent names, and that of RFC 3986. */
    const spellings = [(text: string) => encodeURIComponent(text), uriEncoded];
    const [earlier = '', strict = ''] = spellings.map(
      (encoded) => `/local/history/${name.split('/').map(encoded).join('/')}`,
    );

    it('has one object, however its name is spelled', async () => {
      await put(earlier, 'first');
      await put(strict, 'second');
      await restart();
      for (const path of [earlier, strict]) expect(await (await get(path)).text()).toBe('second');
      for (const encoded of spellings)
        expect(await namesOf(`history/${name}`, encoded)).toEqual([`history/${name}`]);
      await fetch(s3.url + strict, { method: 'DELETE' });
      expect((await get(earlier)).status).toBe(404);
    });

    it('finds the file of an earlier version', async () => {
      mkdirSync(join(folder, 'local/history/coins.v1'), { recursive: true });
      writeFileSync(join(folder, 'local/history/coins.v1', file), 'stored');
      expect(await (await get(strict)).text()).toBe('stored');
      expect(await namesOf('history/', uriEncoded)).toEqual([`history/${name}`]);
    });
  });

  it('leaves no unfinished file behind, neither after a failed put nor after a process that was killed', async () => {
    const unfinished = () => readdirSync(join(folder, '+unfinished'));
    await put('/local/a/b', 'under a folder');
    expect((await put('/local/a', 'a key that is a folder')).status).toBe(500);
    expect(unfinished()).toEqual([]);
    writeFileSync(join(folder, '+unfinished', '7-0'), 'half');
    await restart();
    await put('/local/c', 'next');
    expect(unfinished()).toEqual([]);
    expect(await (await get('/local/a/b')).text()).toBe('under a folder');
  });

  it('lists by prefix, in pages', async () => {
    for (const name of [
      'samples.v4/2026-11-20/0000',
      'samples.v4/2026-11-20/0010',
      'samples.v4/2026-11-21/0000',
    ])
      await put(`/local/history/${name}`, '');
    expect(await namesOf('history/samples.v4/2026-11-20/')).toHaveLength(2);
    expect(await namesOf('history/samples.v4/2026-11-2')).toHaveLength(3);
    expect(await namesOf('history/nothing/')).toEqual([]);
    const page = await (await get('/local?list-type=2&max-keys=2')).text();
    expect(page).toContain('<IsTruncated>true</IsTruncated>');
  });
});
