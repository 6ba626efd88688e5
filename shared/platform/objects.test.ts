import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { startStubbedS3 } from '../../test/s3.ts';
import { type Condition, type Objects, objectsOf } from './objects.ts';
import { ConditionFailed } from './s3-error.ts';

const PATH = '/bucket/prefix/name';

/** A real server in its place. */
let s3: S3Server;
let objects: Objects;
beforeEach(async () => {
  s3 = await startStubbedS3();
  objects = objectsOf('bucket', 'prefix/');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await s3.close();
});

describe('an object of S3 that is read', () => {
  beforeEach(() => {
    s3.objects.set(PATH, Buffer.from('content'));
  });

  const signal = () => AbortSignal.timeout(10_000);
  const newer = (etag?: string, answerWithinMs = 2_000) =>
    objects.getNewer('name', etag, { answerWithinMs, signal: signal() });

  it('comes with its ETag, and not again with the ETag that it has', async () => {
    const { bytes, etag } = await objects.get('name', signal());
    expect(Buffer.from(bytes).toString()).toBe('content');
    expect(etag).toMatch(/^"\w+"$/);
    expect(await newer(etag)).toBeUndefined();
    s3.objects.set(PATH, Buffer.from('new'));
    expect(Buffer.from((await newer(etag))?.bytes ?? []).toString()).toBe('new');
  });

  it.each(['a b+', 'toto-totoro-inu-?', '战旗-战旗', "~!'()*", '100%', 'a%21b'])(
    'may have a name that a URL cannot hold as it is: %s',
    async (name) => {
      await objects.put(name, 'odd', 'text/plain', { ifNoneMatch: '*' });
      expect(String((await objects.get(name, signal())).bytes)).toBe('odd');
      expect(await objects.list(name)).toEqual([name]);
    },
  );

  const failure = () => objects.get('name', signal()).catch((thrown: unknown) => thrown);

  it('that is not there, or that S3 fails to give, is an error named as S3 names it', async () => {
    s3.failing = PATH;
    expect(await failure()).toMatchObject({
      name: 'InternalError',
      message: 'S3 answered 500: InternalError',
    });
    s3.failing = '';
    s3.objects.clear();
    expect(await failure()).toMatchObject({
      name: 'NoSuchKey',
      message: 'S3 answered 404: NoSuchKey',
    });
  });

  it('is given up when S3 does not begin to answer in time, and may then take longer', async () => {
    s3.contentDelayMs = 2_200;
    expect(String((await newer())?.bytes)).toBe('content');
    s3.delayMs = 400;
    await expect(newer(undefined, 200)).rejects.toThrow('no answer within 0.2 s');
  });

  it('is given up when its caller stops waiting', async () => {
    s3.delayMs = Number.POSITIVE_INFINITY;
    await expect(objects.get('name', AbortSignal.timeout(50))).rejects.toThrow('ABORT_ERR');
  });
});

describe('a put', () => {
  const put = (content: string, condition?: Condition) =>
    objects.put('name', content, 'text/plain', condition);
  const content = () => String(s3.objects.get(PATH));
  async function etag(): Promise<string> {
    const object = await objectsOf('bucket', 'prefix/').get('name', AbortSignal.timeout(10_000));
    return object.etag ?? '';
  }

  it('replaces whatever is there, unless on the condition that there is nothing yet', async () => {
    await put('first', { ifNoneMatch: '*' });
    await expect(put('second', { ifNoneMatch: '*' })).rejects.toThrow(ConditionFailed);
    expect(content()).toBe('first');
    await put('third');
    expect(content()).toBe('third');
  });

  it('on the condition of an ETag replaces that content only, and nothing after a deletion', async () => {
    await put('first');
    const ifMatch = await etag();
    await put('second', { ifMatch });
    await expect(put('third', { ifMatch })).rejects.toThrow(
      'name in S3 was changed by somebody else meanwhile',
    );
    expect(content()).toBe('second');
    s3.objects.delete(PATH);
    await expect(put('third', { ifMatch })).rejects.toThrow(ConditionFailed);
    expect(s3.objects.size).toBe(0);
  });

  it('is done once of two at the same time on the same condition', async () => {
    await put('first');
    const ifMatch = await etag();
    const results = await Promise.allSettled([put('second', { ifMatch }), put('third', { ifMatch })]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('passes on every other failure', async () => {
    await s3.close();
    const failure = put('first', { ifNoneMatch: '*' });
    await expect(failure).rejects.toThrow(/ECONNREFUSED/);
    await expect(failure).rejects.not.toThrow(ConditionFailed);
  });
});
