import { publicFor } from '../http/cache-control.ts';
import { count } from '../platform/metrics.ts';
import type { Origin } from './origin.ts';
import type { Quality } from './quality.ts';

/** Tells in headers who made the data, when, of which quality it is, and for how long caches may give it. */
export function setSourceHeaders(
  headers: Record<string, string>,
  { source, madeAt, stale, freshUntil }: Omit<Origin, 'quality'> & { readonly stale: boolean },
  quality: Quality | 'disputed',
  now = Date.now(),
): void {
  const freshSeconds = stale ? 0 : Math.max(0, Math.floor((freshUntil - now) / 1000));
  if (quality === 'derived') count('DerivedAnswers');
  headers['x-data-source'] = source;
  headers['x-data-quality'] = stale ? 'stale' : quality;
  headers['x-data-time'] = timeText(madeAt);
  headers['cache-control'] = publicFor(freshSeconds);
}

/** The same, of what is told of the present. */
export function setOriginHeaders(
  headers: Record<string, string>,
  { quality, ...origin }: Origin,
  now?: number,
): void {
  const stale = quality === 'stale';
  setSourceHeaders(headers, { ...origin, stale }, stale ? 'exact' : quality, now);
}

// The same ticker is given many times, and writing its time anew was a tenth of a warm request.
let last: { readonly at: number; readonly text: string } | undefined;

function timeText(at: number): string {
  if (last?.at !== at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}
