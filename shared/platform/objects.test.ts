import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { startStubbedS3 } from '../../test/s3.ts';
import { type Objects, objectsOf } from './objects.ts';

const PATH = '/bucket/prefix/name';

describe('an object, read from a real server in place of S3', () => {
  let s3: S3Server;
  let objects: Objects;

  beforeEach(async () => {
    s3 = await startStubbedS3();
    objects = objectsOf('bucket', 'prefix/');
    s3.objects.set(PATH, Buffer.from('content'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.close();
  });

  const signal = () => AbortSignal.timeout(10_000);
  const newer = (etag?: string, answerWithinMs = 2_000) =>
    objects.getNewer('name', etag, { answerWithinMs, signal: signal() });

  it('comes with its ETag', async () => {
    const { bytes, etag } = await objects.get('name', signal());
    expect(Buffer.from(bytes).toString()).toBe('content');
    expect(etag).toMatch(/^"\w+"$/);
  });

  it('does not come again with the ETag that it has', async () => {
    const { etag } = await objects.get('name', signal());
    expect(await newer(etag)).toBeUndefined();
    s3.objects.set(PATH, Buffer.from('new'));
    expect(Buffer.from((await newer(etag))?.bytes ?? []).toString()).toBe('new');
  });

  it('may have a name that a URL cannot hold as it is', async () => {
    s3.objects.set('/bucket/prefix/a%20b%2B', Buffer.from('odd'));
    expect(String((await objects.get('a b+', signal())).bytes)).toBe('odd');
  });

  const failure = () => objects.get('name', signal()).catch((thrown: unknown) => thrown);

  it('that is not there, or that S3 fails to give, is an error named as S3 names it', async () => {
    s3.failing = PATH;
    expect(await failure()).toMatchObject({
      name: 'InternalError',
      message: 'S3 answered 500: We encountered an internal error. Please try again.',
    });
    s3.failing = '';
    s3.objects.clear();
    expect(await failure()).toMatchObject({
      name: 'NoSuchKey',
      message: 'S3 answered 404: The specified key does not exist.',
    });
  });

  it('is given up when S3 does not begin to answer in time, and may then take longer', async () => {
    s3.contentDelayMs = 2_200;
    expect(String((await newer())?.bytes)).toBe('content');
    s3.delayMs = 400;
    await expect(newer(undefined, 200)).rejects.toThrow('no answer within 0.2 s');
  });

  it('is given up when nobody waits any more', async () => {
    s3.delayMs = Number.POSITIVE_INFINITY;
    await expect(objects.get('name', AbortSignal.timeout(50))).rejects.toThrow('ABORT_ERR');
  });
});
