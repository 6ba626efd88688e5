import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { builtRegistry } from '../../test/registry/built.ts';
import { registryStore } from './store.ts';

const s3 = mockClient(S3Client);
beforeEach(() => {
  s3.reset();
});

const store = () => registryStore('bucket');
const signal = () => AbortSignal.timeout(1000);
/** As much of the SDK's body as the store uses. */
const body = (content: string | Uint8Array) =>
  ({
    transformToByteArray: async () => Uint8Array.from(Buffer.from(content)),
  }) as GetObjectCommandOutput['Body'];

it('puts the index before the manifest that names it, so that a reader never misses what it is told of', async () => {
  s3.on(PutObjectCommand).resolves({});
  const { bytes, manifest } = builtRegistry(50, 0);

  await store().publish(bytes, manifest);

  expect(s3.commandCalls(PutObjectCommand).map(({ args: [{ input }] }) => [input.Bucket, input.Key])).toEqual(
    [
      ['bucket', `registry/${manifest.index}`],
      ['bucket', 'registry/manifest.json'],
    ],
  );
});

it('does not touch the manifest if the index cannot be put', async () => {
  s3.on(PutObjectCommand).rejects(new Error('S3 is away'));
  const { bytes, manifest } = builtRegistry(50, 0);

  await expect(store().publish(bytes, manifest)).rejects.toThrow('S3 is away');
  expect(s3.commandCalls(PutObjectCommand)).toHaveLength(1);
});

it('reads the manifest and the index that it names', async () => {
  const { bytes, manifest } = builtRegistry(50, 0);
  s3.on(GetObjectCommand, { Key: 'registry/manifest.json' }).resolves({
    Body: body(JSON.stringify(manifest)),
  });
  s3.on(GetObjectCommand, { Key: `registry/${manifest.index}` }).resolves({ Body: body(bytes) });

  const read = await store().manifest(signal());

  expect(read).toEqual(manifest);
  expect(Buffer.compare(await store().index(read, signal()), bytes)).toBe(0);
});

it('passes on that there is nothing yet', async () => {
  s3.on(GetObjectCommand).rejects(new NoSuchKey({ message: 'none', $metadata: {} }));
  await expect(store().manifest(signal())).rejects.toThrow(NoSuchKey);
});

it('refuses a manifest that is not one', async () => {
  s3.on(GetObjectCommand).resolves({ Body: body('{"index":"../../etc/passwd"}') });
  await expect(store().manifest(signal())).rejects.toThrow(/manifest/);
});
