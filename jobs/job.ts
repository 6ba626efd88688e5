import type { EnvironmentName } from '../shared/environment.ts';

/** What a contributor writes in `job.ts`: a function that runs on a schedule instead of for requests. */
export interface Job {
  /** The folder below `jobs/`. */
  readonly name: string;
  readonly summary: string;
  readonly everyHours: number;
  /** Names of the environment schema that the function gets. */
  readonly environment: readonly EnvironmentName[];
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}
