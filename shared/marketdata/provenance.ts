/** The source, time and quality of the data in a response. */
import { publicFor } from '../http/cache-control.ts';
import { count } from '../platform/metrics.ts';

/**
 * The qualities from the strongest to the weakest; docs/api.md, "Headers", defines them. Stored candles hold their quality as
 * a place in this list.
 */
export const qualities = ['exact', 'sampled', 'derived', 'disputed', 'stale'] as const;
export type Quality = (typeof qualities)[number];

/** The qualities of candles and past prices. */
export const candleQualities = ['exact', 'sampled', 'derived'] as const;
export type CandleQuality = (typeof candleQualities)[number];

/** The qualities of tickers, and of figures computed from them. */
export const tickerQualities = ['exact', 'disputed', 'stale'] as const;

/** The source, quality, age and lifetime of data. Times in milliseconds since the epoch. */
export interface Provenance {
  readonly source: string;
  /** `stale`: past its lifetime, and no newer data was published. */
  readonly quality: Quality;
  /** When the source made it. */
  readonly madeAt: number;
  readonly freshUntil: number;
}

/** The provenance of a current price, or of an exchange rate. */
export interface Origin extends Provenance {
  readonly quality: (typeof tickerQualities)[number];
}

/** The weakest quality of several parts; `exact` without parts. */
export function weakest<Q extends Quality>(parts: Iterable<Q>): Q | 'exact' {
  let last: Q | 'exact' = 'exact';
  for (const quality of parts) if (qualities.indexOf(quality) > qualities.indexOf(last)) last = quality;
  return last;
}

/** Source names, each once, for `x-data-source`. */
export function listed(...sources: readonly (string | undefined)[]): string {
  const first = sources[0];
  if (first !== undefined && sources.every((source) => source === first)) return first;
  const names = sources.flatMap((source) => source?.split(',') ?? []);
  return [...new Set(names)].join(',');
}

type Joint<P extends Provenance> = Provenance & { readonly quality: P['quality'] | 'exact' };

/**
 * The origin of combined data: every source, the weakest quality, the oldest time, the earliest end of freshness. Undefined for
 * no data.
 */
export function jointOrigin<P extends Provenance>(parts: readonly (P | undefined)[]): Joint<P> | undefined {
  const origins = parts.filter((part) => part !== undefined);
  if (origins.length === 0) return undefined;
  return {
    source: listed(...origins.map(({ source }) => source)),
    quality: weakest(origins.map(({ quality }) => quality)),
    madeAt: Math.min(...origins.map(({ madeAt }) => madeAt)),
    freshUntil: Math.min(...origins.map(({ freshUntil }) => freshUntil)),
  };
}

/** Sets the headers for source, quality, time and caching of data; none without data. */
export function setOriginHeaders(
  headers: Record<string, string>,
  origin: Provenance | undefined,
  now = Date.now(),
): void {
  if (!origin) return;
  const { source, quality, madeAt, freshUntil } = origin;
  const freshSeconds = quality === 'stale' ? 0 : Math.max(0, Math.floor((freshUntil - now) / 1000));
  count(quality === 'stale' ? 'StaleAnswers' : 'FreshAnswers');
  if (quality === 'derived') count('DerivedAnswers');
  headers['x-data-source'] = source;
  headers['x-data-quality'] = quality;
  headers['x-data-time'] = timeText(madeAt);
  headers['cache-control'] = publicFor(freshSeconds);
}

/** Sets the headers of a response that may be stale, whatever the quality of its data. */
export function setSourceHeaders(
  headers: Record<string, string>,
  origin: Omit<Provenance, 'quality'> & { readonly stale: boolean },
  quality: Quality,
  now?: number,
): void {
  setOriginHeaders(headers, provenanceOf({ ...origin, quality }), now);
}

/** The provenance of data that may be stale, whatever its quality. */
export function provenanceOf(data: Provenance & { readonly stale: boolean }): Provenance {
  const { source, madeAt, freshUntil, stale, quality } = data;
  return { source, madeAt, freshUntil, quality: stale ? 'stale' : quality };
}

// One ticker serves many requests, and formatting its time took a tenth of a warm request.
let last: { readonly at: number; readonly text: string } | undefined;

function timeText(at: number): string {
  if (last?.at !== at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}
