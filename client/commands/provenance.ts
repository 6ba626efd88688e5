import type { Answer } from './api-client.ts';
import { isPastLifetime, timeOf } from './clock.ts';

const qualities = ['exact', 'sampled', 'derived', 'disputed', 'stale'] as const;
type Quality = (typeof qualities)[number];
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
}

/** Reads `x-data-source`, `x-data-quality` and `x-data-time`. `now` is this machine's clock. */
export function provenanceOf({ header }: Pick<Answer<unknown>, 'header'>, now: number): Provenance {
  const quality = header('x-data-quality');
  const madeAt = Date.parse(header('x-data-time') ?? '');
  const time = timeOf(header, now);
  const named = namesIn(header('x-data-source'));
  const isOutdated = !Number.isNaN(madeAt) && isPastLifetime(header, time);
  return {
    sources: named.filter((name) => name !== SIMULATED),
    isSimulated: named.includes(SIMULATED),
    quality: qualities.find((known) => known === quality) ?? 'exact',
    madeAt: Number.isNaN(madeAt) ? undefined : madeAt,
    outdatedMs: isOutdated ? Math.max(0, time - madeAt) : undefined,
  };
}

/** The names of a comma list, each once. */
function namesIn(list = ''): string[] {
  const names = list.split(',').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}
