import type { Answer } from './api-client.ts';

/** The source of an answer's data, from its headers. */
export interface Provenance {
  /** A provider's name, or `simulated`; undefined if the answer does not say. */
  readonly source: string | undefined;
  readonly quality: 'exact' | 'derived' | 'stale';
  /** When the provider made the data, in milliseconds since the epoch. */
  readonly madeAt: number | undefined;
}

/** Reads `x-data-source`, `x-data-quality` and `x-data-time`. */
export function provenanceOf({ header }: Pick<Answer<unknown>, 'header'>): Provenance {
  const quality = header('x-data-quality');
  const madeAt = Date.parse(header('x-data-time') ?? '');
  return {
    source: header('x-data-source'),
    quality: quality === 'derived' || quality === 'stale' ? quality : 'exact',
    madeAt: Number.isNaN(madeAt) ? undefined : madeAt,
  };
}
