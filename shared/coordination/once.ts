import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../http/errors.ts';
import { IDEMPOTENCY_HEADER } from '../http/idempotency.ts';
import { unlessAvailable } from '../platform/table.ts';
import { type KeyedRequest, type KeyOptions, KeyRow } from './key-row.ts';

interface Work<T> {
  /**
   * Does it. What cannot be taken back has to be written down under the run's id. Work that may be done by an instance
   * that was frozen for longer than its lease needs a condition of its own against being done twice.
   */
  readonly run: (runId: string) => Promise<T>;
  /** The answer of a run that got so far, and perhaps no further; undefined if it did not. */
  readonly recall: (runId: string) => Promise<T | undefined>;
}

/** Each one that waits keeps an instance busy. */
const WAIT_MS = 3_000;
const PAUSE_MS = { first: 50, longest: 400 };
const RETRY_AFTER_S = 2;

/**
 * The answer of the one run that a key stands for, as JSON gives it back, for 24 hours. The first request takes a lease
 * of the key's row and runs; those that come meanwhile wait a little. A failure is not kept. A run that failed or died
 * may have spent something all the same, so whoever comes next recalls it before running anew.
 *
 * Throws what the work throws, 409 if the first request is still at work, 422 if it had other input, and what the table
 * throws while nothing was run.
 */
export async function answerOnce<T>(request: KeyedRequest, work: Work<T>, options: KeyOptions): Promise<T> {
  const row = new KeyRow(request, options);
  const runId = crypto.randomUUID();
  const giveUpAt = Math.min(Date.now() + WAIT_MS, options.deadline);
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)) {
    const found = await row.take(runId);
    if (found.state === 'taken') return run(row, runId, work);
    if (found.state === 'answered') return JSON.parse(found.answer) as T; // written by `run`
    if (found.state === 'left') {
      const recalled = await work.recall(found.runId);
      if (recalled !== undefined) return recalled;
      if (await row.takeOver(found.runId, runId)) return run(row, runId, work);
    }
    if (Date.now() + pauseMs >= giveUpAt) throw stillAtWork();
    await sleep(pauseMs);
  }
}

async function run<T>(row: KeyRow, runId: string, work: Work<T>): Promise<T> {
  const answer = await work.run(runId).catch(async (error: unknown) => {
    await row.leave(runId).catch(unlessAvailable);
    throw error;
  });
  // If this fails, the next one finds the lease run out, and recalls the run.
  await row.store(runId, JSON.stringify(answer)).catch(unlessAvailable);
  return answer;
}

function stillAtWork(): ApiError {
  return new ApiError(409, `The request with this ${IDEMPOTENCY_HEADER} is still at work; try again`, {
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  });
}
