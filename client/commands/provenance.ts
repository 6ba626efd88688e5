import { qualities } from '../sdk/answer.ts';
import type { Client, DatedAnswer, Quality } from '../sdk/index.ts';

/** The routes that the commands call, as the typed client has them. */
export type Api = Client['marketdata'];

const SIMULATED = 'simulated';

/** The source of an answer's data, from its headers. */
export interface Provenance {
  /** Names of all who had a part in it, `simulated` apart; empty if the answer names nobody. */
  readonly sources: readonly string[];
  /** Whether it is made up, be it in part. */
  readonly isSimulated: boolean;
  readonly quality: Quality;
  /** When the provider made the data, in milliseconds since the epoch. */
  readonly madeAt: number | undefined;
  /** How old the data is, in milliseconds, if a cache gave the answer past its lifetime, whatever its quality was. */
  readonly outdatedMs: number | undefined;
  /** Until when the answer may be used, by this machine's clock: milliseconds since the epoch. */
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

/** The names of a comma list, each once. */
function namesIn(list = ''): string[] {
  const names = list.split(',').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}

/** Whether the provider made it before another; false if that is not known. */
export function isOlder({ madeAt }: Provenance, other: Provenance): boolean {
  return madeAt !== undefined && other.madeAt !== undefined && madeAt < other.madeAt;
}

/** Of several answers that are shown as one: every source, the weakest quality, the oldest time. */
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

/** Clocks that are kept right differ by less. */
const TOLERANCE_MS = 60_000;
/** Of an answer that does not say for how long it is true. */
const LIFETIME_SECONDS = 600;

/**
 * The time now, in milliseconds since the epoch: `own`, unless the answer shows that this clock is wrong. `date` is when
 * the service answered, and caches count in `age` how long ago that was (RFC 9111, 4.2.3), so it is at least as late
 * as their sum. It is that late only if nobody kept the answer without counting.
 */
export function timeOf(headers: Headers, own: number): number {
  const age = Number(headers.get('age') ?? 0);
  const told = Date.parse(headers.get('date') ?? '') + age * 1000;
  const cache = headers.get('x-cache') ?? headers.get('via');
  const isCounted = age > 0 || cache === null || /^miss\b/i.test(cache);
  const isSlow = told - own > TOLERANCE_MS;
  const isFast = isCounted && own - told > TOLERANCE_MS;
  return isSlow || isFast ? told : own;
}

/** True if no cache should have given the answer any more; false if it does not say for how long one may. */
function isPastLifetime(headers: Headers, now: number): boolean {
  const seconds = maxAgeOf(headers) ?? Number.NaN;
  return now - Date.parse(headers.get('date') ?? '') > seconds * 1000 + TOLERANCE_MS;
}

/** For how many milliseconds more an answer that has just arrived may be used. */
export function lifetimeOf(headers: Headers): number {
  const age = Number(headers.get('age') ?? 0);
  return Math.max(0, (maxAgeOf(headers) ?? LIFETIME_SECONDS) - (age > 0 ? age : 0)) * 1000;
}

function maxAgeOf(headers: Headers): number | undefined {
  const [, seconds] = /\bmax-age=(\d+)/.exec(headers.get('cache-control') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
