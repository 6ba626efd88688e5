import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../../../local/s3.ts';
import { publishedRegistry } from '../../../../shared/registry/refresh.ts';
import { builtRegistry } from '../../../../test/registry/built.ts';
import { startStubbedS3 } from '../../../../test/s3.ts';
import { registryStore } from './publish.ts';

const MANIFEST = '/bucket/registry/manifest.v3.json';

describe('the registry in a real server in place of S3', () => {
  const { bytes, manifest } = builtRegistry(50, 0);
  const INDEX = `/bucket/registry/${manifest.index}`;
  let s3: S3Server;

  beforeEach(async () => {
    s3 = await startStubbedS3();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.close();
  });

  const store = () => registryStore('bucket');
  const signal = () => AbortSignal.timeout(10_000);

  it('gets the index before the manifest that names it, so that a reader never misses what it is told of', async () => {
    await store().publish(bytes, manifest);
    expect(s3.requests).toEqual([`PUT ${INDEX}`, `PUT ${MANIFEST}`]);
  });

  it('keeps its manifest if the index cannot be put', async () => {
    s3.failing = INDEX;
    await expect(store().publish(bytes, manifest)).rejects.toThrow('We encountered an internal error');
    expect(new Set(s3.requests)).toEqual(new Set([`PUT ${INDEX}`]));
  });

  it('is read by its manifest and the index that it names', async () => {
    await store().publish(bytes, manifest);

    const read = await publishedRegistry('bucket').manifest(signal());

    expect(read).toEqual(manifest);
    expect(Buffer.compare(await publishedRegistry('bucket').index(read, signal()), bytes)).toBe(0);
  });

  it('is told as missing if there is nothing yet', async () => {
    const missing = publishedRegistry('bucket').manifest(signal());
    await expect(missing).rejects.toThrow(expect.objectContaining({ name: 'NoSuchKey' }));
    expect(await store().published()).toMatchObject({ content: undefined, etag: undefined });
  });

  it('is refused with a manifest that is not one', async () => {
    s3.objects.set(MANIFEST, Buffer.from('{"index":"../../etc/passwd"}'));
    await expect(publishedRegistry('bucket').manifest(signal())).rejects.toThrow(/manifest/);
  });
});
