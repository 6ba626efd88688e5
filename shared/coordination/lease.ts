/** One instance does a piece of work, and the others wait for its result. */
import { ApiError, isOutage, ShareUsedUp } from '../http/errors.ts';
import { withoutSecrets } from '../platform/redaction.ts';
import {
  type Change,
  type Condition,
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  type SharedTable,
  TableUnavailable,
  textIn,
  type Updated,
  unlessAvailable,
} from '../platform/table.ts';
import { elapsedMs, MAX_INSTANCE_SKEW_MS } from '../platform/time.ts';

export interface LeaseOptions {
  /** Undefined: there are no other instances. */
  readonly table: SharedTable | undefined;
  readonly key: string;
  /** The end of the wait for another instance, in milliseconds since the epoch. */
  readonly deadline: number;
  /** For the text of the 504. */
  readonly title: string;
}

/** How long a dead holder delays the others; a slow one renews its lease, so that nothing is paid twice. */
const LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** Requests within this time after a failure get the same failure. */
const FAILURE_MS = 3_000;
/** How long a finished result is looked for in the store. */
const ROW_MS = 60_000;
const PAUSE_MS = { first: 25, longest: 300 };

/** This instance was frozen, or could not renew its lease, so another one may have taken it. */
class LeaseLost extends Error {}

/**
 * The result of `work`, which one instance at a time does for a key; `find` looks for the result of another instance in the store.
 * Without a working table each instance does the work itself. Throws what `work` throws, here or, for an outage, in the instance
 * that did it up to three seconds ago; 504 if the deadline comes first.
 *
 * A lease is over when this instance has watched it for its whole length without a renewal, or when it ended so long ago that clock
 * differences cannot explain it. `work` calls `assertHeld` before it pays for something: the call throws if the lease may be lost,
 * as after a freeze, and then the work is not done here unless this instance gets the lease again.
 */
export async function withLease<T>(
  options: LeaseOptions,
  find: () => Promise<T | undefined>,
  work: (assertHeld: () => void) => Promise<T>,
): Promise<T> {
  const { table, key, deadline, title } = options;
  if (!table) return work(() => {});
  const token = crypto.randomUUID();
  let watched: { readonly holder: string; readonly until: number; readonly since: number } | undefined;
  let hasWaited = false;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)) {
    const isOver = watched !== undefined && performance.now() - watched.since >= LEASE_MS;
    const takenAt = Date.now();
    const taken = await take(table, key, token, isOver ? watched?.holder : undefined).catch(unlessAvailable);
    // After a freeze the table is not to blame, and another instance may do the work.
    if (!taken && elapsedMs(takenAt) < LEASE_MS) return work(() => {});
    if (taken?.applied) {
      const isNew = hasWaited || numberIn(taken.row, 'doneAt') !== undefined;
      try {
        return await hold({ table, key, token, takenAt }, async (assertHeld) => {
          const there = isNew ? await find() : undefined;
          return there ?? work(assertHeld);
        });
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error;
      }
    } else if (taken) {
      const failure = failureIn(taken.row, hasWaited);
      if (failure) throw failure;
      const holder = textIn(taken.row, 'holder') ?? '';
      const until = numberIn(taken.row, 'until') ?? 0;
      if (watched?.holder !== holder || watched.until !== until)
        watched = { holder, until, since: performance.now() };
    }
    const mayWaitMs = deadline - Date.now();
    if (mayWaitMs <= 0) throw new ApiError(504, `${title} timed out: no answer in time`);
    hasWaited = true;
    const jitteredMs = pauseMs * (0.5 + Math.random());
    await new Promise((resolve) => setTimeout(resolve, Math.min(jitteredMs, mayWaitMs)));
  }
}

/** Takes the lease if it is free, its own already, by a write that is repeated, or belongs to `dead`. Returns the row afterwards. */
function take(table: SharedTable, key: string, token: string, dead: string | undefined): Promise<Updated> {
  const now = Date.now();
  const isFree: Condition[] = [
    { absent: 'holder' },
    ['holder', '=', token],
    ['until', '<', now - MAX_INSTANCE_SKEW_MS],
    ...(dead === undefined ? [] : [['holder', '=', dead] as const]),
  ];
  return table.update(key, {
    set: { holder: token, until: now + LEASE_MS, [EXPIRY_ATTRIBUTE]: expiryAt(now + ROW_MS) },
    when: { all: [{ any: isFree }, { any: [{ absent: 'failedUntil' }, ['failedUntil', '<', now]] }] },
  });
}

interface Held {
  readonly table: SharedTable;
  readonly key: string;
  readonly token: string;
  /** Before the lease was taken. */
  readonly takenAt: number;
}

async function hold<T>(
  { table, key, token, takenAt }: Held,
  work: (assertHeld: () => void) => Promise<T>,
): Promise<T> {
  let confirmedAt = takenAt;
  async function renew(): Promise<void> {
    const now = Date.now();
    const change: Change = { set: { until: now + LEASE_MS }, when: ['holder', '=', token] };
    const renewed = await table.update(key, change).catch(unlessAvailable);
    if (renewed) confirmedAt = renewed.applied ? now : Number.NEGATIVE_INFINITY;
  }
  const assertHeld = () => {
    if (elapsedMs(confirmedAt) >= LEASE_MS) throw new LeaseLost();
  };
  const renewing = setInterval(() => void renew(), RENEW_MS);
  let outcome: Readonly<Record<string, string | number>> = {};
  try {
    assertHeld(); // the table may have answered late
    const result = await work(assertHeld);
    outcome = { doneAt: Date.now() };
    return result;
  } catch (error) {
    outcome = failureAttributes(error);
    throw error instanceof TableUnavailable ? new Error(error.message, { cause: error }) : error;
  } finally {
    clearInterval(renewing);
    await release(table, key, token, outcome);
  }
}

/** Releases the lease with its outcome. Without the table the others see it run out. */
async function release(
  table: SharedTable,
  key: string,
  token: string,
  outcome: Readonly<Record<string, string | number>>,
): Promise<void> {
  const change: Change = { set: outcome, remove: ['holder', 'until'], when: ['holder', '=', token] };
  await table.update(key, change).catch(unlessAvailable);
}

/** The attributes of an outage, which the next instance would meet as well; none for one client's own errors. */
function failureAttributes(error: unknown): Readonly<Record<string, string | number>> {
  if (!(error instanceof ApiError) || error instanceof ShareUsedUp || !isOutage(error)) return {};
  const { statusCode: status, message, headers } = error;
  const failure = JSON.stringify({ status, message: withoutSecrets(message), headers });
  return { failure, failedUntil: Date.now() + FAILURE_MS };
}

/** A failure that still counts; one that was waited for counts whatever this instance's clock says. */
function failureIn(row: Row | undefined, hasWaited: boolean): ApiError | undefined {
  const failure = textIn(row, 'failure');
  const until = numberIn(row, 'failedUntil') ?? 0;
  if (failure === undefined || textIn(row, 'holder') !== undefined) return undefined;
  if (!hasWaited && Date.now() >= until) return undefined;
  const { status, message, headers } = JSON.parse(failure) as {
    status: number;
    message: string;
    headers: Record<string, string>;
  }; // written by `failureAttributes`
  return new ApiError(status, message, { headers });
}
