import type { MarketdataTickerData } from '../../sdk/index.ts';
import type { Conversion } from '../currency/conversion.ts';
import type { Provenance } from '../provenance.ts';
import { providerTitle, titleOf } from '../sources.ts';
import { conversionText } from './conversion.ts';
import { clean, type Line, type Span, span } from './text.ts';
import { formatInstant, formatWait } from './time.ts';

export interface SourceContext {
  /** The candles' interval, which says what derived ones are made of; undefined: these are no candles. */
  readonly interval?: string;
  /** Of the prices that are shown with the source. */
  readonly conversion?: Conversion | undefined;
  readonly now: number;
}

/**
 * The sources, time and quality of an answer: `One and Another, as of 12:03 UTC, provider unreachable`. Simulated
 * data is always called simulated, also if it is a part, and what a cache gave too late out of date. Last comes the rate
 * of a currency.
 */
export function sourceLine(provenance: Provenance, context: SourceContext): Line {
  const { quality, madeAt, outdatedMs } = provenance;
  const { interval, conversion, now } = context;
  const parts = [sourceText(provenance)];
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
  if (conversion) {
    const all = interval === undefined ? '' : 'all ';
    spans.push(span(`; ${all}${conversionText(conversion, now)}`));
  }
  return spans;
}

/** `3 of 3 exchanges agree within 0.14 %`. */
export function agreementText({
  agreeing,
  of,
  spreadPercent,
}: NonNullable<MarketdataTickerData['sources']>): string {
  const exchanges = of === 1 ? 'exchange agrees' : 'exchanges agree';
  return `${agreeing} of ${of} ${exchanges}${of > 1 ? ` within ${spreadPercent.toFixed(2)} %` : ''}`;
}

function sourceText({ sources, isSimulated }: Provenance): string {
  const names = enumerated(sources.map((source) => titleOf(source) ?? clean(source)));
  if (!isSimulated) return names || providerTitle;
  const simulated = 'simulated data, not real prices';
  return names ? `${names}, in part ${simulated}` : simulated;
}

/** `One`, `One and Another`, `One, Another and a Third`. */
function enumerated(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${last}` : last;
}
