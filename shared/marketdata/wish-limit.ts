import { HOUR_MS, MINUTE_MS } from '../platform/time.ts';

const BURST = 10;
const MAX_REMEMBERED = 1_000;

/**
 * Lets a container wish for a coin once an hour, and for ten coins at once but one a minute on average: each wish is a
 * write that a request waits for, and of a busy fleet the jobs learn what is wanted most anyway.
 */
export function wishLimit(now: () => number = Date.now): (key: string) => boolean {
  const wishedAt = new Map<string, number>();
  let left = BURST;
  let countedAt = now();

  return (key) => {
    const time = now();
    left = Math.min(BURST, left + Math.max(0, time - countedAt) / MINUTE_MS);
    countedAt = time;
    const isRecent = Math.abs(time - (wishedAt.get(key) ?? Number.NEGATIVE_INFINITY)) < HOUR_MS;
    if (isRecent || left < 1) return false;
    left -= 1;
    if (wishedAt.size >= MAX_REMEMBERED) wishedAt.clear();
    wishedAt.set(key, time);
    return true;
  };
}
