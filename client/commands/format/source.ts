import type { Provenance } from '../provenance.ts';
import { type Line, type Span, span } from './text.ts';
import { formatInstant, formatWait } from './time.ts';

export interface SourceContext {
  /** The provider as people write it. */
  readonly label: string;
  /** The candles' interval, which says what derived ones are made of; undefined: these are no candles. */
  readonly interval?: string;
  readonly now: number;
}

/**
 * The source, time and quality of an answer: `<provider>, as of 12:03 UTC, provider unreachable`. Simulated data is
 * always called simulated, and what a cache gave too late out of date.
 */
export function sourceLine(provenance: Provenance, context: SourceContext): Line {
  const { source, quality, madeAt, outdatedMs } = provenance;
  const { label, interval, now } = context;
  const parts: string[] = [];
  if (source === 'simulated') parts.push('simulated data, not real prices');
  else parts.push(source === undefined || source === label.toLowerCase() ? label : source);
  if (madeAt !== undefined) parts.push(`as of ${formatInstant(madeAt, now)}`);
  if (quality === 'stale') parts.push('provider unreachable');
  if (outdatedMs !== undefined)
    parts.push(
      `out of date, ${formatWait(Math.floor(outdatedMs / 1000))} old: the service gave no newer answer`,
    );
  const spans: Span[] = [span(parts.join(', '))];
  if (quality === 'exact' && interval !== undefined && outdatedMs === undefined)
    spans.push(span('; exact candles'));
  if (quality === 'sampled') spans.push(span('; folded from prices every ten minutes'));
  if (quality === 'disputed') spans.push(span('; disputed: exchanges differ by more than 10 %'));
  if (quality === 'derived') {
    const closes = interval === '1h' ? 'hourly closes' : 'daily closes';
    spans.push(span(`; ${closes} where no candles are known`));
  }
  return spans;
}
