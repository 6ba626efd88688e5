import type { Environment, EnvironmentName } from './environment.ts';

/** The kinds of published objects, each below a prefix of its own. */
export const publishedKinds = ['registry', 'snapshot', 'history', 'sources', 'exports'] as const;
/** The kinds that functions of routes read. */
export const servedKinds = ['registry', 'snapshot', 'history', 'sources'] as const satisfies Published[];
export type Published = (typeof publishedKinds)[number];

/** The content of a `job.ts`: a function that runs on a schedule instead of for requests. */
export interface Job {
  /** `<domain>/<job>`, which lies in `functions/<domain>/jobs/<job>/`. */
  readonly name: `${string}/${string}`;
  readonly summary: string;
  /** The interval, or the setting that holds it. */
  readonly everyMinutes:
    | number
    | 'SNAPSHOT_MINUTES'
    | 'QUOTES_MINUTES'
    | 'TOKENS_MINUTES'
    | 'CANDLES_MINUTES';
  /**
   * The minute of the first run in an hour, for intervals within an hour. No other job starts in it but the one that starts in every
   * minute, so that jobs leave containers to callers. Longer intervals have none and begin with the first deployment.
   */
  readonly fromMinute?: number;
  /** The setting that a stage's configuration has to turn on for the job to be deployed. */
  readonly onlyWith?: 'monthlyExport' | 'probe';
  /** More tries after a failure, before the event goes to the dead-letter queue. */
  readonly retries: 0 | 1 | 2;
  /** The kinds of objects that it publishes, and reads again. */
  readonly publishes?: readonly Published[];
  /** The kinds that it only reads. */
  readonly reads?: readonly Published[];
  /** The most requests to the provider that each run makes, for which a part of the budget is reserved. */
  readonly requestsARun?: number;
  /** Whether the function carries the coin registry. */
  readonly registry?: boolean;
  /** Names of the environment schema that the function gets. */
  readonly environment: readonly EnvironmentName[];
  /** The owners of the rows in the shared table that the function reads and writes (`rowKey`); none: it has no table. */
  readonly rows?: readonly string[];
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}

/** The interval of a job, in minutes. */
export function minutesBetween(
  { everyMinutes }: Pick<Job, 'everyMinutes'>,
  environment: Pick<Environment, Extract<Job['everyMinutes'], string>>,
): number {
  return typeof everyMinutes === 'number' ? everyMinutes : Number(environment[everyMinutes]);
}

/** The requests to the provider that are reserved for the runs of a day. */
export function scheduledRequestsADay(
  jobs: readonly Job[],
  environment: Parameters<typeof minutesBetween>[1],
): number {
  const requests = jobs.map((job) => {
    const { requestsARun = 0 } = job;
    return requestsARun * Math.ceil((24 * 60) / minutesBetween(job, environment));
  });
  return requests.reduce((sum, count) => sum + count, 0);
}
