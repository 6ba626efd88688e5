/** How good the data is, from the best to the worst; the README says what each means. */
export const qualities = ['exact', 'sampled', 'derived', 'disputed', 'stale'] as const;
export type Quality = (typeof qualities)[number];

export interface Answer<Data> {
  readonly data: Data;
  /** All headers of the answer; in a web page of another origin those that the service lets it read. */
  readonly headers: Headers;
}

/** The answer of a route that tells where its data comes from. What this answer does not tell is undefined. */
export interface DatedAnswer<Data> extends Answer<Data> {
  /** Who made the data: a provider's name, a comma list of several, or `simulated`. */
  readonly source: string | undefined;
  /** When it was made. */
  readonly dataTime: Date | undefined;
}

/** The answer of a route that tells how good its data is: look at `quality` before you rely on `data`. */
export interface RatedAnswer<Data> extends DatedAnswer<Data> {
  /** Undefined also for a word that this version of the client does not know. */
  readonly quality: Quality | undefined;
}

/** Reads `x-data-source`, `x-data-quality` and `x-data-time`. */
export function ratedAnswer(data: unknown, headers: Headers): RatedAnswer<unknown> {
  const quality = headers.get('x-data-quality');
  const time = new Date(headers.get('x-data-time') ?? Number.NaN);
  return {
    data,
    headers,
    source: headers.get('x-data-source') ?? undefined,
    dataTime: Number.isNaN(time.getTime()) ? undefined : time,
    quality: qualities.find((known) => known === quality),
  };
}
