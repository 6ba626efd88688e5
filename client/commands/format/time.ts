const DAY_MS = 86_400_000;
export const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `12:03 UTC`, preceded by the date if it is not the day of `now`. Milliseconds since the epoch. */
export function formatInstant(time: number, now: number): string {
  const iso = new Date(time).toISOString();
  const clock = `${iso.slice(11, 16)} UTC`;
  return Math.floor(time / DAY_MS) === Math.floor(now / DAY_MS) ? clock : `${iso.slice(0, 10)} ${clock}`;
}

/** When a candle opened, as precisely as its interval needs: `31 Jan 14:00`, `31 Jan`, or `Jan 2026`. In UTC. */
export function formatOpen(time: number, interval: string): string {
  const date = new Date(time);
  const month = MONTHS[date.getUTCMonth()] ?? '';
  if (interval === '90d' || interval === '365d') return `${month} ${date.getUTCFullYear()}`;
  const day = `${date.getUTCDate()} ${month}`;
  return interval === '1h' ? `${day} ${date.toISOString().slice(11, 16)}` : day;
}

/** A wait in words: `42 seconds`, `5 minutes`, `3 hours`. */
export function formatWait(seconds: number): string {
  if (seconds <= 90) return counted(seconds, 'second');
  if (seconds <= 5400) return counted(Math.ceil(seconds / 60), 'minute');
  return counted(Math.ceil(seconds / 3600), 'hour');
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
