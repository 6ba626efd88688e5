import { environment } from '../../../../shared/platform/environment.ts';
import { count, recordValue } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { bucketIn } from '../bucket-in.ts';
import { historyStore } from '../history-store.ts';
import { rollUp } from './roll-up.ts';

/** An hour is published within half an hour of its end, and the next one an hour later. */
const CURRENT_MS = 2 * 3_600_000;

interface Result {
  /** The end of the newest published hour, in ISO 8601; undefined: none is published. */
  readonly hoursUntil: string | undefined;
  /** The days that this run rolled up. */
  readonly days: readonly string[];
}

/** Publishes hours and rolls up days that are over. Throws if something fails: the next run continues from what is stored. */
export const handler = scheduled(async (): Promise<Result> => {
  const bucket = bucketIn(environment(), 'HISTORY_BUCKET');
  const now = Date.now();
  let hoursUntil: number | undefined;
  try {
    const days = await rollUp(historyStore(bucket), now, (until) => {
      hoursUntil = until;
      recordValue('HistoryAge', Math.max(0, Math.round((now - until) / 1000)));
    });
    return { hoursUntil: hoursUntil === undefined ? undefined : new Date(hoursUntil).toISOString(), days };
  } finally {
    count('HoursPublished', Number(hoursUntil !== undefined && now - hoursUntil <= CURRENT_MS));
  }
});
