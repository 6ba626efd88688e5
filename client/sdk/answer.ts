import { ApiFailure } from './failure.ts';

/** Data quality, from best to worst; the README explains each value. */
export const qualities = ['exact', 'sampled', 'derived', 'disputed', 'stale'] as const;
export type Quality = (typeof qualities)[number];

export interface Answer<Data> {
  readonly data: Data;
  /** All headers of the response; in a web page from another origin, those that the service exposes. */
  readonly headers: Headers;
}

/** The response of a route with data provenance. Fields that this response does not report are undefined. */
export interface DatedAnswer<Data> extends Answer<Data> {
  /** The data's source: a provider's name, a comma-separated list, or `simulated`. */
  readonly source: string | undefined;
  /** When it was made. */
  readonly dataTime: Date | undefined;
}

/** The response of a route with a data quality: check `quality` before you rely on `data`. */
export interface RatedAnswer<Data> extends DatedAnswer<Data> {
  /** Undefined if the header is absent, or has a value that this version of the client does not know. */
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

/**
 * The `data` of a response's envelope. Throws ApiFailure with the service's message, or with ours if another server
 * responded.
 */
export function dataIn(text: string, { status, headers }: Response, baseUrl: string): unknown {
  const envelope = parse(text);
  const retryAfterSeconds = secondsUntil(headers.get('retry-after'));
  if (envelope && 'data' in envelope) return envelope.data;
  if (envelope) {
    throw new ApiFailure(status, envelope.error, {
      // An older service returns 404 for routes that it lacks, which says nothing about a coin.
      isAnswer: !envelope.error.startsWith('No such route'),
      retryAfterSeconds,
      headers,
    });
  }
  // API Gateway's own errors (429, 503) and other servers at that address have no envelope.
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
