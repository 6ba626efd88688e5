import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { startStubbedS3 } from '../../test/s3.ts';
import { type Condition, ConditionFailed, type Objects, objectsOf } from './objects.ts';

const PATH = '/bucket/prefix/name';

describe('a put, against a real server in place of S3', () => {
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

  const put = (content: string, condition?: Condition) =>
    objects.put('name', content, 'text/plain', condition);
  const content = () => String(s3.objects.get(PATH));
  async function etag(): Promise<string> {
    const object = await objectsOf('bucket', 'prefix/').get('name', AbortSignal.timeout(10_000));
    return object.etag ?? '';
  }

  it('replaces whatever is there', async () => {
    await put('first');
    await put('second');
    expect(content()).toBe('second');
  });

  it('on the condition that there is nothing yet is done once', async () => {
    await put('first', { ifNoneMatch: '*' });
    await expect(put('second', { ifNoneMatch: '*' })).rejects.toThrow(ConditionFailed);
    expect(content()).toBe('first');
  });

  it('on the condition of an ETag replaces that content only', async () => {
    await put('first');
    const ifMatch = await etag();
    await put('second', { ifMatch });
    await expect(put('third', { ifMatch })).rejects.toThrow(
      'name in S3 was changed by somebody else meanwhile',
    );
    expect(content()).toBe('second');
  });

  it('on the condition of an ETag is refused after a deletion', async () => {
    await put('first');
    const ifMatch = await etag();
    s3.objects.delete(PATH);
    await expect(put('second', { ifMatch })).rejects.toThrow(ConditionFailed);
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
