import { count } from '../platform/metrics.ts';
import type { Answer } from './answer.ts';

/**
 * Tells in headers where data comes from, how good it is, and how old. `age` counts from when the provider made the
 * data; `max-age` is the rest of its lifetime here, and nothing if it is stale.
 */
export function setSourceHeaders(
  headers: Record<string, string>,
  { source, madeAt, stale, freshUntil }: Answer<unknown>,
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
