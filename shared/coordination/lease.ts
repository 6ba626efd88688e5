/** One of all instances does a piece of work, and the others wait for what comes of it. */
import { ApiError, isOutage, ShareUsedUp } from '../http/errors.ts';
import { withoutSecrets } from '../platform/redaction.ts';
import {
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

export interface LeaseOptions {
  /** Undefined: there are no other instances. */
  readonly table: SharedTable | undefined;
  readonly key: string;
  /** Of the wait for another instance, in milliseconds since the epoch. */
  readonly deadline: number;
  /** For the text of the 504. */
  readonly title: string;
}

/** A holder that died costs the others so long; one that is slow renews its lease and is not paid twice. */
const LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** Those who come so long after a failure are told it again. */
const FAILURE_MS = 3_000;
/** What was done is looked for in the store for so long after it. */
const ROW_MS = 60_000;
const PAUSE_MS = { first: 25, longest: 300 };
/** By how much the clocks of two instances may differ. */
const MAX_SKEW_MS = 5_000;

/**
 * The result of `work`, which one instance at a time does for a key; `find` looks for what another one may have left in
 * the store meanwhile. Without the table, and if it fails, each instance does it for itself. Throws what `work` throws,
 * here or, if it is an outage, in the instance that did it up to three seconds ago; 504 if the deadline comes first.
 *
 * The lease is over when this instance has watched it for its whole length without a renewal, or when it ended so long ago
 * that no difference of clocks explains it.
 */
export async function withLease<T>(
  options: LeaseOptions,
  find: () => Promise<T | undefined>,
  work: () => Promise<T>,
): Promise<T> {
  const { table, key, deadline, title } = options;
  if (!table) return work();
  const token = crypto.randomUUID();
  let watched: { readonly holder: string; readonly until: number; readonly since: number } | undefined;
  let hasWaited = false;
  try {
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)) {
      const isOver = watched !== undefined && performance.now() - watched.since >= LEASE_MS;
      const { applied, row } = await take(table, key, token, isOver ? watched?.holder : undefined);
      // Refused because of itself: the write was repeated on a new connection.
      if (applied || textIn(row, 'holder') === token) {
        const isNew = hasWaited || numberIn(row, 'doneAt') !== undefined;
        const there = isNew ? await find() : undefined;
        if (there === undefined) return await hold(table, key, token, work);
        await release(table, key, token, {});
        return there;
      }
      const failure = failureIn(row, hasWaited);
      if (failure) throw failure;
      const [holder, until] = [textIn(row, 'holder') ?? '', numberIn(row, 'until') ?? 0];
      if (watched?.holder !== holder || watched.until !== until)
        watched = { holder, until, since: performance.now() };
      const mayWaitMs = deadline - Date.now();
      if (mayWaitMs <= 0) throw new ApiError(504, `${title} timed out: no answer in time`);
      hasWaited = true;
      const jitteredMs = pauseMs * (0.5 + Math.random());
      await new Promise((resolve) => setTimeout(resolve, Math.min(jitteredMs, mayWaitMs)));
    }
  } catch (error) {
    if (error instanceof TableUnavailable) return work();
    throw error;
  }
}

/** Takes the lease if it is free, or that of `dead`. Gives the row as it is then. */
function take(table: SharedTable, key: string, token: string, dead: string | undefined): Promise<Updated> {
  const now = Date.now();
  const isFree = [
    'attribute_not_exists(#holder)',
    '#until < :past',
    ...(dead === undefined ? [] : ['#holder = :dead']),
  ].join(' OR ');
  return table.update(key, {
    update: `SET #holder = :token, #until = :until, #${EXPIRY_ATTRIBUTE} = :expiry`,
    condition: `(${isFree}) AND (attribute_not_exists(#failedUntil) OR #failedUntil < :now)`,
    values: {
      ':token': token,
      ':until': now + LEASE_MS,
      ':expiry': expiryAt(now + ROW_MS),
      ':past': now - MAX_SKEW_MS,
      ':now': now,
      ...(dead !== undefined && { ':dead': dead }),
    },
  });
}

async function hold<T>(table: SharedTable, key: string, token: string, work: () => Promise<T>): Promise<T> {
  const renew = () =>
    void table
      .update(key, {
        update: 'SET #until = :until',
        condition: '#holder = :token',
        values: { ':until': Date.now() + LEASE_MS, ':token': token },
      })
      .catch(unlessAvailable);
  const renewing = setInterval(renew, RENEW_MS);
  let outcome: Readonly<Record<string, string | number>> = {};
  try {
    const result = await work();
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

/** Gives the lease up, with what came of it. Without the table the others find it run out. */
async function release(
  table: SharedTable,
  key: string,
  token: string,
  outcome: Readonly<Record<string, string | number>>,
): Promise<void> {
  const set = Object.keys(outcome).map((name) => `#${name} = :${name}`);
  const values = Object.fromEntries(Object.entries(outcome).map(([name, value]) => [`:${name}`, value]));
  await table
    .update(key, {
      update: `${set.length > 0 ? `SET ${set.join(', ')} ` : ''}REMOVE #holder, #until`,
      condition: '#holder = :token',
      values: { ...values, ':token': token },
    })
    .catch(unlessAvailable);
}

/** Of an outage, which would meet the next one as well; nothing of what is one client's own affair. */
function failureAttributes(error: unknown): Readonly<Record<string, string | number>> {
  if (!(error instanceof ApiError) || error instanceof ShareUsedUp || !isOutage(error)) return {};
  const { statusCode: status, message, headers } = error;
  const failure = JSON.stringify({ status, message: withoutSecrets(message), headers });
  return { failure, failedUntil: Date.now() + FAILURE_MS };
}

/** A failure in force; one that was waited for counts whatever this instance's clock says. */
function failureIn(row: Row | undefined, hasWaited: boolean): ApiError | undefined {
  const [failure, until] = [textIn(row, 'failure'), numberIn(row, 'failedUntil') ?? 0];
  if (failure === undefined || textIn(row, 'holder') !== undefined) return undefined;
  if (!hasWaited && Date.now() >= until) return undefined;
  const { status, message, headers } = JSON.parse(failure) as {
    status: number;
    message: string;
    headers: Record<string, string>;
  }; // written by `failureAttributes`
  return new ApiError(status, message, { headers });
}
