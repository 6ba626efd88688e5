import { count } from '../platform/metrics.ts';
import type { Answer } from './answer.ts';

/** Tells origin, quality and age in headers. `age` counts from when the provider made the data. */
export function setSourceHeaders(
  headers: Record<string, string>,
  { source, madeAt, stale, freshUntil }: Omit<Answer<unknown>, 'data'>,
  quality: 'exact' | 'derived',
  now = Date.now(),
): void {
  const freshSeconds = stale ? 0 : Math.max(0, Math.floor((freshUntil - now) / 1000));
  if (quality === 'derived') count('DerivedAnswers');
  headers['x-data-source'] = source;
  headers['x-data-quality'] = stale ? 'stale' : quality;
  headers.age = String(Math.max(0, Math.floor((now - madeAt) / 1000)));
  headers['cache-control'] = `public, max-age=${freshSeconds}`;
}
