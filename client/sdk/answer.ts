import { ApiFailure } from './failure.ts';

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

/** The `data` of an answer's envelope. Throws ApiFailure with the service's words, or in ours if something else answered. */
export function dataIn(text: string, { status, headers }: Response, baseUrl: string): unknown {
  const envelope = parse(text);
  const retryAfterSeconds = secondsUntil(headers.get('retry-after'));
  if (envelope && 'data' in envelope) return envelope.data;
  if (envelope) {
    throw new ApiFailure(status, envelope.error, {
      // An older service answers 404 for a route that it does not have yet, which says nothing about a coin.
      isAnswer: !envelope.error.startsWith('No such route'),
      retryAfterSeconds,
      headers,
    });
  }
  // API Gateway's own refusals (429, 503) and other servers at that address have no envelope.
  const what = `HTTP ${status}, ${headers.get('content-type') ?? 'no content type'}`;
  const where = baseUrl === '' ? 'the service' : baseUrl;
  const foreign = `${where} does not answer as the market-data API does (${what})`;
  throw new ApiFailure(status, status === 429 ? 'Rate limit exceeded' : foreign, {
    retryAfterSeconds,
    headers,
  });
}

function parse(text: string): { readonly data: unknown } | { readonly error: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('success' in value)) return undefined;
    if (value.success === true && 'data' in value) return { data: value.data };
    const error = 'error' in value && typeof value.error === 'string' ? value.error : undefined;
    return value.success === false && error !== undefined ? { error } : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). */
function secondsUntil(retryAfter: string | null): number | undefined {
  if (retryAfter === null || retryAfter.trim() === '') return undefined;
  const seconds = /^\d+$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
