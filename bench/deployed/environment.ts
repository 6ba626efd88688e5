import { join } from 'node:path';
import { KEY } from './request.ts';

export const BUCKET = 'bucket';

/** What a function needs to speak to the S3 at an address. */
export function accessTo(s3Url: string) {
  return {
    AWS_ENDPOINT_URL_S3: s3Url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  };
}

/** Of a function that answers from the registry and the snapshot, and reaches no provider: nothing listens there. */
export function withoutProvider(dist: string, s3Url: string) {
  return {
    NODE_ENV: 'production',
    CLIENT_API_KEY: KEY,
    COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9',
    REGISTRY_PATH: join(dist, 'layers/registry/registry'),
    SNAPSHOT_BUCKET: BUCKET,
    ...accessTo(s3Url),
  };
}
