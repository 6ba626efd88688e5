import { type Environment, environment } from './environment.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * A first request that finds the same work unfinished waits 200 ms more for it: together that is no more than the
 * second that it would have waited by itself.
 */
const WAIT_MS = 800;

type Work = (environment: Environment) => Promise<unknown>;

/**
 * Does work before the first request, while Lambda gives a function a whole core: a handshake with S3 takes 20 ms then, and 140 on
 * the share of 256 MB. Waits for it within bounds. The request that needs it repeats what fails and reports it: an init that fails
 * would cost every caller an error.
 *
 * @example
 * await atInit(currentSnapshot);
 */
export async function atInit(...work: Work[]): Promise<void> {
  const { SNAPSHOT_BUCKET, HISTORY_BUCKET, SHARED_TABLE } = process.env;
  if (SNAPSHOT_BUCKET || HISTORY_BUCKET || SHARED_TABLE) await beforeRequests(work);
}

/** The same for work without a store. */
export async function beforeRequests(work: readonly Work[]): Promise<void> {
  if (work.length === 0) return;
  try {
    const settings = environment();
    await withTimeout(WAIT_MS, Promise.allSettled(work.map((begin) => begin(settings))));
  } catch {
    // The environment is not usable; the pipeline reports it to every caller.
  }
}
