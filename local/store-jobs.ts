/** The scheduled jobs that publish in the local store, run at their intervals. */
import { jobs } from '../functions/jobs.ts';
import { variables } from '../shared/platform/environment.ts';
import type { Job, Published } from '../shared/platform/job.ts';
import type { LocalEnvironment } from './function-environment.ts';
import { plainName } from './inspect.ts';
import type { ProcessOutcome } from './payload.ts';
import type { TemplateFunction } from './template.ts';

export interface StoreJob {
  readonly fn: TemplateFunction;
  readonly job: Job;
}

/** The service starts its functions before the jobs. */
const SOON_MS = 2000;

interface Running {
  readonly invoke: (fn: TemplateFunction) => Promise<ProcessOutcome>;
  readonly local: LocalEnvironment;
  readonly log: (line: string) => void;
  /** When the published snapshot's interval ends, by the clock that published it; in milliseconds since the epoch. */
  readonly snapshotDueAt: number;
}

/** The template's jobs that publish one of these kinds, each after the jobs it depends on. */
export function storeJobsOf(functions: readonly TemplateFunction[], kinds: readonly Published[]): StoreJob[] {
  const publishing = jobs.filter(({ publishes = [] }) => publishes.some((kind) => kinds.includes(kind)));
  const inOrder = publishing.toSorted((a, b) => rankOf(a) - rankOf(b));
  return inOrder.flatMap((job) => {
    const fn = functions.find(({ name }) => plainName(name) === `${plainName(job.name)}function`);
    return fn ? [{ fn, job }] : [];
  });
}

/**
 * Runs each job now or soon and at every interval, never two at once, until the returned function is called. Returns
 * when the snapshot and its companions exist, or could not be made.
 */
export async function runStoreJobs(
  storeJobs: readonly StoreJob[],
  { invoke, local, log, snapshotDueAt }: Running,
): Promise<() => void> {
  const timers = new Map<StoreJob, NodeJS.Timeout>();
  const waiting = new Set<StoreJob>();
  let isOver = false;
  let last = Promise.resolve();

  const run = async ({ fn }: StoreJob) => {
    const { kind } = isOver ? { kind: 'answer' } : await invoke(fn);
    if (kind !== 'answer' && !isOver) log(`[${fn.name}] published nothing (${kind})`);
  };
  const runInTurn = (storeJob: StoreJob) => {
    if (!waiting.has(storeJob)) {
      waiting.add(storeJob);
      last = last.then(() => run(storeJob)).finally(() => waiting.delete(storeJob));
    }
    return last;
  };
  const runIn = (ms: number, storeJob: StoreJob) => {
    const timer = setTimeout(() => {
      runIn(intervalOf(storeJob, local), storeJob);
      void runInTurn(storeJob);
    }, ms);
    timers.set(storeJob, timer);
  };

  for (const storeJob of storeJobs) {
    const rank = rankOf(storeJob.job);
    const intervalMs = intervalOf(storeJob, local);
    const dueMs = snapshotDueAt - Date.now();
    // Before a snapshot is due the provider has no newer list, and a fetch would only use up a request. One that is due
    // later than after an interval is from a clock that was ahead.
    const waitMs = rank === 0 ? (dueMs > intervalMs ? 0 : dueMs) : rank === 1 ? 0 : SOON_MS;
    runIn(waitMs > 0 ? waitMs : intervalMs, storeJob);
    if (waitMs <= 0) await runInTurn(storeJob);
  }
  return () => {
    isOver = true;
    for (const timer of timers.values()) clearTimeout(timer);
  };
}

/**
 * The snapshot comes first, because everything is derived from it; then the independent publications, the jobs that map
 * other sources, and those that store or fold history. The registry comes last: its job takes a minute, and a list of coins is
 * there. Jobs of one rank run in the order of the table.
 */
function rankOf({ publishes = [], reads = [], requestsARun }: Job): number {
  if (publishes.includes('snapshot') && requestsARun !== undefined) return 0;
  if (publishes.includes('registry')) return 4;
  if (publishes.every((kind) => kind === 'snapshot') && reads.length === 0) return 1;
  return publishes.includes('sources') ? 2 : 3;
}

function intervalOf({ fn, job: { everyMinutes } }: StoreJob, local: LocalEnvironment): number {
  const minutes =
    typeof everyMinutes === 'number'
      ? everyMinutes
      : local[everyMinutes] || fn.environment[everyMinutes] || variables[everyMinutes].default;
  return Number(minutes) * 60_000;
}
