import type { Environment, EnvironmentName } from '../../../shared/platform/environment.ts';

type BucketName = Extract<EnvironmentName, `${string}_BUCKET`>;

/** The name of a bucket that a job needs. Throws an Error that names the variable if it is not set. */
export function bucketIn(settings: Environment, name: BucketName): string {
  const bucket = settings[name];
  if (!bucket) throw new Error(`Environment variable ${name} is not set`);
  return bucket;
}
