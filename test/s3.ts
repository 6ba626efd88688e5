import { vi } from 'vitest';
import { type S3Server, serveObjects, startS3Server } from '../local/s3.ts';
import { VersionedObjects } from './versioned-objects.ts';

/** Starts a server in place of S3 that the AWS SDK finds until the stubbed environment is taken away. */
export async function startStubbedS3({ versioned = false } = {}): Promise<S3Server> {
  const s3 = await (versioned ? serveObjects(new VersionedObjects()) : startS3Server());
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return s3;
}
