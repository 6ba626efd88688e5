import { formatInstant } from '../../commands/format/time.ts';
import type { Provenance } from '../../commands/provenance.ts';

export interface Age {
  readonly text: string;
  /** True if it is older than it should be. */
  readonly isOld: boolean;
}

/** So long a refresh may take before it is told that there was none. */
const GRACE_MS = 60_000;

/** The age of what a card shows: its time while it may be used, after that how old it is; undefined if that is not known. */
export function ageOf({ madeAt, freshUntil, outdatedMs, quality }: Provenance, now: number): Age | undefined {
  if (madeAt === undefined) return undefined;
  const isLate = outdatedMs !== undefined || quality === 'stale';
  if (now < freshUntil && !isLate) return { text: `as of ${formatInstant(madeAt, now)}`, isOld: false };
  return { text: `${spanText(now - madeAt)} old`, isOld: isLate || now >= freshUntil + GRACE_MS };
}

/** `40 s`, `25 min`, `3 h`, `2 d`: no longer than it is. */
function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
