import { MINUTE_MS } from '../../shared/platform/time.ts';
import { uniform } from './hash.ts';

/** The provider's figures change once a minute: the last full minute before an instant (ms). */
export function lastMinute(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

/** `2025-09-25T16:42:00Z`: ISO 8601 in whole seconds, as every timestamp of the provider. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/**
 * `2025-09-17 03:59:32.385856048 +0000 UTC`: an instant as Go prints it, which is how the refusals of a plan name it.
 * The digits below a millisecond are made up, but always the same ones for the same instant.
 */
export function goTime(ms: number): string {
  const iso = new Date(ms).toISOString();
  const below = Math.floor(uniform(Math.floor(ms / 1000), ms % 1000) * 999_999) + 1;
  const time = `${iso.slice(11, 23)}${String(below).padStart(6, '0')}`.replace(/0+$/, ''); // Go prints no trailing zeros
  return `${iso.slice(0, 10)} ${time} +0000 UTC`;
}
