import { qualities } from '../sdk/answer.ts';
import type { Client, DatedAnswer, Quality } from '../sdk/index.ts';

/** The typed client's routes that the commands call. */
export type Api = Client['marketdata'];

/** The name of simulated data among sources. */
export const SIMULATED = 'simulated';

/** The source of a response's data, from its headers. */
export interface Provenance {
  /** The names of all sources except `simulated`; empty if the response names none. */
  readonly sources: readonly string[];
  /** Whether any of it is simulated. */
  readonly isSimulated: boolean;
  readonly quality: Quality;
  /** When the provider made the data, in milliseconds since the epoch. */
  readonly madeAt: number | undefined;
  /** The data's age in milliseconds if a cache returned it after its lifetime, whatever its quality. */
  readonly outdatedMs: number | undefined;
  /** When the response expires, by this machine's clock: milliseconds since the epoch. */
  readonly freshUntil: number;
}

/** `now` is this machine's clock. */
export function provenanceOf(
  { source, quality, dataTime, headers }: DatedAnswer<unknown> & { readonly quality?: Quality | undefined },
  now: number,
): Provenance {
  const madeAt = dataTime?.getTime();
  const time = timeOf(headers, now);
  const named = namesIn(source);
  const isOutdated = madeAt !== undefined && isPastLifetime(headers, time);
  return {
    sources: named.filter((name) => name !== SIMULATED),
    isSimulated: named.includes(SIMULATED),
    quality: quality ?? 'exact',
    madeAt,
    outdatedMs: isOutdated ? Math.max(0, time - madeAt) : undefined,
    freshUntil: now + lifetimeOf(headers),
  };
}

/** The names in a comma-separated list, without duplicates. */
function namesIn(list = ''): string[] {
  const names = list.split(',').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}

/** Whether the provider made it before another; false if unknown. */
export function isOlder({ madeAt }: Provenance, other: Provenance): boolean {
  return madeAt !== undefined && other.madeAt !== undefined && madeAt < other.madeAt;
}

/** Combines several responses shown as one: all sources, the weakest quality, the oldest time. */
export function together(all: readonly Provenance[]): Provenance {
  const weakest = Math.max(...all.map(({ quality }) => qualities.indexOf(quality)));
  const times = all.flatMap(({ madeAt }) => madeAt ?? []);
  const delays = all.flatMap(({ outdatedMs }) => outdatedMs ?? []);
  return {
    sources: [...new Set(all.flatMap(({ sources }) => sources))],
    isSimulated: all.some(({ isSimulated }) => isSimulated),
    quality: qualities[weakest] ?? 'exact',
    madeAt: times.length > 0 ? Math.min(...times) : undefined,
    outdatedMs: delays.length > 0 ? Math.max(...delays) : undefined,
    freshUntil: Math.min(...all.map(({ freshUntil }) => freshUntil)),
  };
}

/** Synchronized clocks differ by less. */
const TOLERANCE_MS = 60_000;
/** The lifetime of a response that does not state one. */
const LIFETIME_SECONDS = 600;

/**
 * The time now, in milliseconds since the epoch: `own`, unless the response shows that this clock is wrong. `date` is
 * when the service responded, and caches count the time since in `age` (RFC 9111, 4.2.3), so it is at least as late as
 * their sum. It is exactly that if every cache on the way counted.
 */
export function timeOf(headers: Headers, own: number): number {
  const age = Number(headers.get('age') ?? 0);
  const served = Date.parse(headers.get('date') ?? '') + age * 1000;
  const cache = headers.get('x-cache') ?? headers.get('via');
  const isCounted = age > 0 || cache === null || /^miss\b/i.test(cache);
  const isSlow = served - own > TOLERANCE_MS;
  const isFast = isCounted && own - served > TOLERANCE_MS;
  return isSlow || isFast ? served : own;
}

/** True if no cache should have returned the response any more; false if it states no lifetime. */
function isPastLifetime(headers: Headers, now: number): boolean {
  const seconds = maxAgeOf(headers) ?? Number.NaN;
  return now - Date.parse(headers.get('date') ?? '') > seconds * 1000 + TOLERANCE_MS;
}

/** The remaining lifetime in milliseconds of a response that has just arrived. */
export function lifetimeOf(headers: Headers): number {
  const age = Number(headers.get('age') ?? 0);
  return Math.max(0, (maxAgeOf(headers) ?? LIFETIME_SECONDS) - (age > 0 ? age : 0)) * 1000;
}

function maxAgeOf(headers: Headers): number | undefined {
  const [, seconds] = /\bmax-age=(\d+)/.exec(headers.get('cache-control') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
