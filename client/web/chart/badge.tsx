import { useState } from 'preact/hooks';
import { clean } from '../../commands/format/text.ts';
import type { Provenance } from '../../commands/provenance.ts';
import type { ChartResult } from '../../commands/result.ts';
import type { ShownChart } from '../../commands/shown-chart.ts';
import { agreementText, providerTitle, titleOf } from '../../commands/sources.ts';
import type { Quality } from '../../sdk/index.ts';
import { Price } from '../app/parts.tsx';
import { sourceLines } from './chart.tsx';

interface BadgeProps {
  readonly result: ChartResult;
  readonly chart: ShownChart;
}

/** How far prices can be trusted, in a few words; a click shows where they come from. */
export function Badge({ result, chart }: BadgeProps) {
  const [isOpen, setOpen] = useState(false);
  const { provenance } = chart;
  const markets = result.compared.length === 0 ? result.ticker?.data.sources : undefined;
  const isWarning =
    provenance.outdatedMs !== undefined ||
    provenance.quality === 'stale' ||
    provenance.quality === 'disputed';
  return (
    <span class="badge-place">
      <button
        type="button"
        class={`badge ${isWarning ? 'warning' : ''}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {markets ? agreementText(markets) : sourceText(provenance)}
      </button>
      {isOpen && (
        <span class="badge-details">
          {markets && <span class="line">{sourceText(provenance)}</span>}
          {markets?.prices.map(({ exchange, price }) => (
            <span class="line">
              {titleOf(exchange) ?? clean(exchange)} <Price usd={price} />
            </span>
          ))}
          {sourceLines(result, chart).map((line) => (
            <span class="line">{line.map(({ text }) => text).join('')}</span>
          ))}
        </span>
      )}
    </span>
  );
}

/** `One · exact`, `One and 2 more · sampled`, `Simulated`. */
function sourceText({ sources, isSimulated, quality, outdatedMs }: Provenance): string {
  const [first, ...others] = sources.map((source) => titleOf(source) ?? clean(source));
  const more =
    others.length > 1 ? ` and ${others.length} more` : others.map((other) => ` and ${other}`).join('');
  const named = `${first ?? providerTitle}${more}`;
  const who = isSimulated ? (first ? `${named}, simulated` : 'Simulated') : named;
  return `${who} · ${outdatedMs === undefined ? words[quality] : 'out of date'}`;
}

const words: Readonly<Record<Quality, string>> = {
  exact: 'exact',
  sampled: 'sampled',
  derived: 'from closes',
  disputed: 'disputed',
  stale: 'out of date',
};
