/** The scheduled jobs of a server: side by side, none twice at once, and none forgotten or repeated by a restart. */
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { jobs } from '../functions/jobs.ts';
import type { SimulatedSources } from '../local/simulated/main.ts';
import type { Environment } from '../shared/platform/environment.ts';
import { type Job, minutesBetween } from '../shared/platform/job.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { MINUTE_MS } from '../shared/platform/time.ts';

/** The probe asks what a stranger asks of a deployment, and Parquet files are made on demand. */
export const serverJobs = jobs.filter(({ onlyWith }) => onlyWith === undefined);
/** Memory of a thread, in MB: the first size keeps it small, and nothing reaches the second. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 };
/** A clock that jumps is noticed within this time. */
const LONGEST_WAIT_MS = MINUTE_MS;
/** A failed run is repeated after this time as often as its job says, as on AWS. */
const RETRY_MS = MINUTE_MS;
/** And then after this time, doubled with each failure, until the job's interval is shorter: a network may be away for an hour. */
const LATER_RETRY_MS = 10 * MINUTE_MS;
const HOUR_MINUTES = 60;

/** The last run of a job. */
export interface LastRun {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** How many runs have failed since the last that did not. */
  readonly failures: number;
}

/** When a job is next due, in milliseconds since the epoch. A last run in the future comes from a wrong clock. */
export function dueAt(
  job: Pick<Job, 'fromMinute' | 'retries'>,
  minutes: number,
  last: LastRun | undefined,
  now: number,
): number {
  if (!last || last.startedAt > now) return now;
  const { startedAt, failures } = last;
  const regular = nextAfter(job, minutes * MINUTE_MS, startedAt);
  if (failures === 0) return regular;
  const later = LATER_RETRY_MS * 2 ** Math.max(0, failures - job.retries - 1);
  return Math.min(regular, startedAt + (failures <= job.retries ? RETRY_MS : later));
}

/** Within an hour a job starts at minutes of its own. */
function nextAfter({ fromMinute }: Pick<Job, 'fromMinute'>, intervalMs: number, startedAt: number): number {
  if (fromMinute === undefined || intervalMs > HOUR_MINUTES * MINUTE_MS) return startedAt + intervalMs;
  const phase = (fromMinute * MINUTE_MS) % intervalMs;
  return Math.floor((startedAt - phase) / intervalMs) * intervalMs + phase + intervalMs;
}

/** Whether a job publishes the prices that the other one compares its own with, which have to be of the same moment. */
function runsBefore({ everyMinutes }: Job, other: Job): boolean {
  return everyMinutes === 'QUOTES_MINUTES' && (other.reads?.includes('sources') ?? false);
}

/** What a thread needs to open the same folder. */
export interface ThreadData {
  readonly folder: string;
  readonly simulation: SimulatedSources | undefined;
}

interface Options {
  readonly database: DatabaseSync;
  readonly threadData: ThreadData;
  /** Otherwise only the list of coins is kept. */
  readonly keepsPrices: boolean;
  readonly environment: Environment;
  readonly log: (line: string) => void;
  /** Runs a job in place of a thread, for tests. */
  readonly run?: (name: string) => Promise<void>;
}

export class Scheduler {
  readonly #options: Options;
  readonly #jobs: readonly Job[];
  readonly #running = new Map<string, Promise<void>>();
  readonly #workers = new Set<Worker>();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #isUnwritable = false;

  constructor(options: Options) {
    this.#options = options;
    this.#jobs = serverJobs.filter(
      ({ publishes = [] }) => options.keepsPrices || publishes.includes('registry'),
    );
    options.database.exec(
      'CREATE TABLE IF NOT EXISTS job_runs (job TEXT PRIMARY KEY, started_at INTEGER NOT NULL, failures INTEGER NOT NULL) STRICT, WITHOUT ROWID',
    );
  }

  /**
   * Runs what is due, and then each job at its minutes. In an empty folder the list of coins comes first, because all else needs it,
   * and then prices. Resolves when the first prices are published, or could not be.
   */
  async start(isListed: () => boolean): Promise<void> {
    const [registry, snapshot] = ['marketdata/registry', 'marketdata/snapshot'].map((name) =>
      this.#due().find((job) => job.name === name),
    );
    // The ids of other sources take many requests, and follow a minute later.
    const less = this.#options.environment.ID_SOURCES === '' ? undefined : { ID_SOURCES: '' };
    if (registry && !isListed()) await this.#run(registry, less);
    const isFirst = this.#last('marketdata/snapshot') === undefined;
    if (snapshot) await (isFirst ? this.#run(snapshot) : this.#runInOrder(snapshot, this.#due()));
    this.#tick();
  }

  /** Ends threads at once: what they put is whole or not there. */
  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
    await Promise.all(this.#running.values());
  }

  #tick(): void {
    if (this.#isOver) return;
    const due = this.#due();
    for (const job of due) void this.#runInOrder(job, due);
    const now = Date.now();
    const next = Math.min(...this.#jobs.map((job) => this.#dueAt(job, now)).filter((at) => at > now));
    this.#timer = setTimeout(() => this.#tick(), Math.min(next - now, LONGEST_WAIT_MS));
  }

  #dueAt(job: Job, now: number): number {
    return dueAt(job, minutesBetween(job, this.#options.environment), this.#last(job.name), now);
  }

  #due(): Job[] {
    const now = Date.now();
    return this.#jobs.filter((job) => !this.#running.has(job.name) && this.#dueAt(job, now) <= now);
  }

  /** After a sleep all are due at once. */
  async #runInOrder(job: Job, due: readonly Job[]): Promise<void> {
    const before = due.filter((other) => other !== job && runsBefore(other, job));
    if (before.length === 0) return this.#run(job);
    const running = Promise.all(before.map((other) => this.#run(other))).then(() => this.#attempt(job));
    return this.#keep(job, running);
  }

  /** The job's run, which may be under way. One with less than its settings is repeated soon. Never rejects. */
  #run(job: Job, less?: Readonly<Record<string, string>>): Promise<void> {
    return this.#running.get(job.name) ?? this.#keep(job, this.#attempt(job, less));
  }

  #keep({ name }: Job, run: Promise<void>): Promise<void> {
    const kept = run.finally(() => this.#running.delete(name));
    this.#running.set(name, kept);
    return kept;
  }

  async #attempt(job: Job, less?: Readonly<Record<string, string>>): Promise<void> {
    if (this.#isOver) return;
    const before = this.#last(job.name);
    const startedAt = Date.now();
    // Before it begins: a job that ends its process must not do so at every start.
    if (!this.#note(job, { startedAt, failures: (before?.failures ?? 0) + 1 })) return;
    try {
      await this.#once(job, less);
    } catch (error) {
      // Ended with the server, it is due at the next start.
      if (this.#isOver) this.#note(job, before ?? { startedAt: 0, failures: 0 });
      else this.#options.log(`The job ${job.name} failed: ${messageOf(error)}`);
      return;
    }
    this.#note(job, { startedAt, failures: less ? 1 : 0 });
  }

  /** Throws what the job throws, and an Error when its time is over. */
  async #once({ name, timeoutSeconds }: Job, less?: Readonly<Record<string, string>>): Promise<void> {
    const { threadData, run } = this.#options;
    if (run) return run(name);
    // A thread of its own: no request waits for its work, and its memory goes.
    const workerData = { ...threadData, job: name };
    const worker = new Worker(workerFile(), {
      workerData,
      env: { ...process.env, ...less },
      resourceLimits: THREAD_LIMITS,
    });
    this.#workers.add(worker);
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error(`not done within ${timeoutSeconds} seconds`)),
      timeoutSeconds * 1000,
    );
    worker.on('message', ({ failure }) => (failure === undefined ? resolve() : reject(new Error(failure))));
    worker.on('error', reject).on('exit', (code) => reject(new Error(`its thread ended (${code})`)));
    await ended.finally(() => {
      clearTimeout(timer);
      this.#workers.delete(worker);
      return worker.terminate();
    });
  }

  #last(job: string): LastRun | undefined {
    const row = this.#options.database
      .prepare('SELECT started_at, failures FROM job_runs WHERE job = ?')
      .get(job);
    return row && { startedAt: Number(row.started_at), failures: Number(row.failures) };
  }

  /** False if the folder cannot be written, which is said once. */
  #note({ name }: Job, { startedAt, failures }: LastRun): boolean {
    const { database, log } = this.#options;
    if (!database.isOpen) return false; // a job that outlived the server's time to close
    try {
      database
        .prepare(
          'INSERT INTO job_runs VALUES (?, ?, ?) ON CONFLICT (job) DO UPDATE SET started_at = excluded.started_at, failures = excluded.failures',
        )
        .run(name, startedAt, failures);
    } catch (error) {
      if (!this.#isUnwritable)
        log(
          `The folder cannot be written (${messageOf(error)}): what is there is served, and jobs go on when it can`,
        );
      this.#isUnwritable = true;
      return false;
    }
    if (this.#isUnwritable) log('The folder can be written again');
    this.#isUnwritable = false;
    return true;
  }
}

/** The program of a thread, as source or as built. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.mjs', import.meta.url);
}
