import type { Environment, EnvironmentName } from '../../../shared/platform/environment.ts';

type BucketName = Extract<EnvironmentName, `${string}_BUCKET`>;

/** The name of a bucket without which a job cannot do its work. Throws an Error that names the variable. */
export function bucketIn(settings: Environment, name: BucketName): string {
  const bucket = settings[name];
  if (!bucket) throw new Error(`Environment variable ${name} is not set`);
  return bucket;
}
