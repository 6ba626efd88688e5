import { setTimeout as sleep } from 'node:timers/promises';
import type { Provenance } from '../commands/provenance.ts';

/** Nobody is asked again sooner, whatever an answer says of its lifetime. */
export const MIN_WAIT_MS = 5000;
const MAX_BACKOFF_MS = 300_000;

/** The wait until an answer's lifetime is over, in milliseconds; at least so many seconds. */
export function waitFor(freshUntil: number, now: number, seconds = 0): number {
  return Math.max(MIN_WAIT_MS, seconds * 1000, freshUntil - now);
}

/** Until when all parts of an answer may be used: milliseconds since the epoch. */
export function freshUntilOf(parts: readonly { readonly provenance: Provenance }[]): number {
  return Math.min(...parts.map(({ provenance }) => provenance.freshUntil));
}

/**
 * The wait after so many failures in a row, doubling from the shortest up to five minutes; at least so many seconds, and
 * those that the last failure asks for.
 */
export function backOff(
  failures: number,
  seconds = 0,
  retryAfterSeconds = 0,
  shortestMs = MIN_WAIT_MS,
): number {
  const doubled = shortestMs * 2 ** Math.min(failures - 1, 10);
  return Math.max(seconds * 1000, retryAfterSeconds * 1000, Math.min(MAX_BACKOFF_MS, doubled));
}

/** Waits; false as soon as the signal is aborted. */
export async function waited(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    // A timer of more than 24.8 days would run out at once.
    await sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** `12:03:05 UTC`. */
export function clockText(time: number): string {
  return `${new Date(time).toISOString().slice(11, 19)} UTC`;
}
