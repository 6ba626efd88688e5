import { STEP_SECONDS, STEPS } from './limits.ts';

export const STEP_MS = STEP_SECONDS * 1000;

/** The times of all closes in the seven days before a time; ascending, milliseconds since the epoch. */
export function gridBefore(time: number): readonly number[] {
  const last = lastBefore(time);
  return Array.from({ length: STEPS }, (_, index) => last - (STEPS - 1 - index) * STEP_MS);
}

/** The last one, which is earlier than the time itself: that has a price of its own. */
export function lastBefore(time: number): number {
  return (Math.ceil(time / STEP_MS) - 1) * STEP_MS;
}
