import { paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';

export interface KindOfObjects {
  /** The first part of their names. */
  readonly kind: string;
  readonly objects: number;
  /** Undefined if the server does not tell them. */
  readonly bytes: number | undefined;
}

/** All objects of the history by kind, in the order of their names. */
export async function countObjects(bucket: string): Promise<KindOfObjects[]> {
  const client = new S3Client({ forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined });
  const kinds = new Map<string, { objects: number; bytes: number | undefined }>();
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client },
    { Bucket: bucket, Prefix: HISTORY_PREFIX },
  )) {
    for (const { Key = '', Size: size } of Contents) {
      const [kind = ''] = Key.slice(HISTORY_PREFIX.length).split('/');
      const { objects, bytes } = kinds.get(kind) ?? { objects: 0, bytes: 0 };
      const sum = bytes === undefined || size === undefined ? undefined : bytes + size;
      kinds.set(kind, { objects: objects + 1, bytes: sum });
    }
  }
  return [...kinds].map(([kind, counted]) => ({ kind, ...counted }));
}
