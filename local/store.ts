/** A small S3 for a local run, and the jobs that publish in it. */
import { jobs } from '../functions/jobs.ts';
import { variables } from '../shared/platform/environment.ts';
import type { Outcome } from './container.ts';
import type { LocalEnvironment, RouteNeeds } from './function-environment.ts';
import { type S3Server, startS3Server } from './s3.ts';
import type { TemplateFunction } from './template.ts';

export interface LocalStore {
  readonly s3: S3Server;
  /** Variables that tell a function of it. */
  readonly environment: LocalEnvironment;
}

/** Starts it, empty. The registry stays the one that was built: only the snapshot is published here. */
export async function startLocalStore(): Promise<LocalStore> {
  const s3 = await startS3Server();
  const environment = {
    SNAPSHOT_BUCKET: 'local',
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  return { s3, environment };
}

function looksForSnapshot({ environment }: Pick<TemplateFunction, 'environment'>): boolean {
  return 'SNAPSHOT_BUCKET' in environment;
}

/** A function's needs beside its route's names: the store if it knows of it, and a job's own. */
export function needsOf(fn: TemplateFunction, isJob: boolean, store: LocalStore | undefined): RouteNeeds[] {
  const ofStore = store && looksForSnapshot(fn) ? [{ environment: Object.keys(store.environment) }] : [];
  return isJob ? [...jobs, ...ofStore] : ofStore;
}

/** Runs the job now, and again at every interval until the timer that it returns is cleared. */
export async function runSnapshotJob(
  fn: TemplateFunction,
  { SNAPSHOT_MINUTES: asked }: LocalEnvironment,
  invoke: () => Promise<Outcome>,
  log: (line: string) => void,
): Promise<NodeJS.Timeout> {
  const run = async () => {
    const { kind } = await invoke();
    if (kind !== 'answer') log(`[${fn.name}] published no ticker snapshot (${kind})`);
  };
  await run();
  const minutes = asked || fn.environment.SNAPSHOT_MINUTES || variables.SNAPSHOT_MINUTES.default;
  return setInterval(() => void run(), Number(minutes) * 60_000);
}

/** The job that publishes the snapshot: the function that looks for it without answering a route. */
export function snapshotJobOf(
  functions: readonly TemplateFunction[],
  isJob: (fn: TemplateFunction) => boolean,
): TemplateFunction | undefined {
  return functions.find((fn) => isJob(fn) && looksForSnapshot(fn));
}
