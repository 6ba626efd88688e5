import { qualities } from '../sdk/answer.ts';
import type { DatedAnswer, Quality } from '../sdk/index.ts';
import { isPastLifetime, lifetimeOf, timeOf } from './clock.ts';

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
