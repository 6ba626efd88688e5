import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { openSnapshot, type Snapshot } from '../../shared/marketdata/snapshot/snapshot.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../shared/marketdata/snapshot/store.ts';
import { honoApp } from '../functions/hono-app.ts';

const s3 = new S3Client({ forcePathStyle: true });
let snapshot: Promise<Snapshot> | undefined;

/** Reads the same object as our function, once, through the AWS SDK. */
async function read(): Promise<Snapshot> {
  const object = { Bucket: process.env.SNAPSHOT_BUCKET, Key: SNAPSHOT_PREFIX + SNAPSHOT_NAME };
  const { Body } = await s3.send(new GetObjectCommand(object));
  if (!Body) throw new Error('The snapshot has no content');
  return openSnapshot(await Body.transformToByteArray());
}

export const handler = honoApp(async (id) => {
  snapshot ??= read();
  const kept = (await snapshot).ticker(id);
  if (!kept) throw new Error(`Unknown coin: ${id}`);
  return { data: kept.data, cacheControl: 'public, max-age=60' };
});
