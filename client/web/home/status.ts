import type { Conversion } from '../../commands/currency/conversion.ts';
import { sourceLine } from '../../commands/format/source.ts';
import { clean, plainText } from '../../commands/format/text.ts';
import { formatInstant, formatWait } from '../../commands/format/time.ts';
import { ApiFailure, messageOf } from '../../sdk/failure.ts';
import type { Arrived } from './feed.ts';

/** Answers are seldom in time to the second. */
const GRACE_MS = 60_000;

export interface Status {
  /** Source, time and, past its lifetime, age of what is shown; empty while nothing is. */
  readonly source: string;
  /** Why there is nothing newer, or nothing at all; empty if all is well. */
  readonly problem: string;
  /** Past its lifetime, and nothing newer came. */
  readonly isOld: boolean;
}

export function statusOf(
  arrived: Arrived<unknown> | undefined,
  failure: unknown,
  conversion: Conversion | undefined,
): Status {
  const reason = failure === undefined ? '' : reasonOf(failure);
  if (!arrived)
    return { source: '', problem: reason && `The market is not at hand: ${reason}`, isOld: false };
  const { provenance, until, ahead } = arrived;
  const own = Date.now();
  const now = own + ahead;
  const source = plainText([sourceLine(provenance, { conversion, now })]);
  const { madeAt, outdatedMs } = provenance;
  const isOld = outdatedMs !== undefined || own > until + GRACE_MS;
  const age =
    isOld && outdatedMs === undefined && madeAt !== undefined
      ? `, ${formatWait(Math.floor((now - madeAt) / 1000))} old`
      : '';
  return { source: `Source: ${source}${age}`, problem: reason && `No newer answer: ${reason}`, isOld };
}

/** `12:03 UTC`, the time of what is shown; empty if it is not known. */
export function timeText({ provenance, ahead }: Arrived<unknown>): string {
  const { madeAt } = provenance;
  return madeAt === undefined ? '' : formatInstant(madeAt, Date.now() + ahead);
}

function reasonOf(failure: unknown): string {
  const { status, retryAfterSeconds } =
    failure instanceof ApiFailure ? failure : new ApiFailure(undefined, messageOf(failure));
  if (status === 401) return 'the service wants an API key.';
  if (status === 429) {
    return `rate limit exceeded; the next attempt is in ${formatWait(retryAfterSeconds ?? 60)}.`;
  }
  if (status === undefined && !navigator.onLine) return 'this device is offline.';
  return `${clean(messageOf(failure)).replace(/\.$/, '')}.`;
}
