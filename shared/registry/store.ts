import type { S3Client } from '@aws-sdk/client-s3';
import { MANIFEST_NAME } from './format.ts';
import { parseManifest } from './manifest.ts';
import type { RegistrySource } from './refresh.ts';
import type { RegistryManifest } from './types.ts';

const PREFIX = 'registry/';

/** The registry in S3: indexes under names of their own, and one manifest that says which of them is current. */
export interface RegistryStore extends RegistrySource {
  /** Puts the index first and the manifest last: one write switches every reader from one registry to the next. */
  publish(bytes: Uint8Array, manifest: RegistryManifest): Promise<void>;
}

/**
 * Reads from and writes to the bucket. The SDK is loaded at the first use: no cold start pays for it. Throws what
 * the SDK throws, and RegistryError for a manifest that is not one.
 */
export function registryStore(bucket: string): RegistryStore {
  let client: Promise<{ s3: S3Client; sdk: typeof import('@aws-sdk/client-s3') }> | undefined;

  async function connect() {
    const sdk = await import('@aws-sdk/client-s3');
    // A local server in place of S3 has no host name for each bucket.
    const s3 = new sdk.S3Client({
      forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined,
      maxAttempts: 2,
    });
    return { s3, sdk };
  }

  async function get(name: string, signal: AbortSignal): Promise<Uint8Array> {
    client ??= connect();
    const { s3, sdk } = await client;
    const { Body } = await s3.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: PREFIX + name }), {
      abortSignal: signal,
    });
    if (!Body) throw new Error(`${name} in S3 has no content`);
    return Body.transformToByteArray();
  }

  async function put(name: string, content: Uint8Array | string, contentType: string): Promise<void> {
    client ??= connect();
    const { s3, sdk } = await client;
    const object = { Bucket: bucket, Key: PREFIX + name, Body: content, ContentType: contentType };
    await s3.send(new sdk.PutObjectCommand(object));
  }

  return {
    async manifest(signal) {
      return parseManifest(MANIFEST_NAME, new TextDecoder().decode(await get(MANIFEST_NAME, signal)));
    },
    index: ({ index }, signal) => get(index, signal),
    async publish(bytes, manifest) {
      await put(manifest.index, bytes, 'application/octet-stream');
      await put(MANIFEST_NAME, JSON.stringify(manifest), 'application/json');
    },
  };
}
