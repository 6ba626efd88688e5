import type { EnvironmentName } from './environment.ts';

/** The content of a `job.ts`: a function that runs on a schedule instead of for requests. */
export interface Job {
  /** `<domain>/<job>`, which lies in `functions/<domain>/jobs/<job>/`. */
  readonly name: `${string}/${string}`;
  readonly summary: string;
  /** The interval, or the setting that holds it. */
  readonly everyMinutes: number | 'SNAPSHOT_MINUTES';
  /** More tries after a failure, before the event goes to the dead-letter queue. */
  readonly retries: 0 | 1 | 2;
  /** The objects that it publishes, and reads again; each run of such a job is one request to the provider. */
  readonly publishes?: 'registry' | 'snapshot';
  /** Names of the environment schema that the function gets. */
  readonly environment: readonly EnvironmentName[];
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}
