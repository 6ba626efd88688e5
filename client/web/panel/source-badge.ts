import { chartSource } from '../../commands/format/chart.ts';
import { coinNotes } from '../../commands/format/coin.ts';
import { clean, plainText } from '../../commands/format/text.ts';
import { formatInstant } from '../../commands/format/time.ts';
import type { ChartResult } from '../../commands/result.ts';
import type { ShownChart } from '../../commands/shown-chart.ts';
import { providerTitle, titleOf } from '../../commands/sources.ts';
import type { Quality } from '../../sdk/answer.ts';
import { button, element, lineElements } from '../dom.ts';
import { setUpDisclosure } from './disclosure.ts';

export interface SourceBadge {
  readonly element: HTMLElement;
  show(result: ChartResult, chart: ShownChart): void;
}

/** One badge that says where the data is from and how good it is, with the whole of it on demand. */
export function createSourceBadge(name: string, runCommand: (command: string) => void): SourceBadge {
  const opener = button('', () => {}, { class: 'badge', hidden: '' });
  const details = element('div', { class: 'source', role: 'group', 'aria-label': `Source of ${name}` });
  let fill = () => {};
  setUpDisclosure(opener, details, () => fill());
  return {
    element: element('div', { class: 'sources' }, opener, details),
    show(result, chart) {
      const text = badgeText(chart);
      opener.hidden = false;
      opener.replaceChildren(element('span', { class: 'badge-text' }, text));
      opener.classList.toggle('warning', isWarning(chart));
      opener.setAttribute('aria-label', `Source of ${name}: ${text}`);
      fill = () => {
        const told = [chartSource(result, chart, Date.now()), ...coinNotes(result.coin)];
        const lines = [...told, ...candleTimes(result)];
        details.replaceChildren(...lineElements(lines, runCommand));
      };
      fill();
    },
  };
}

/** `One · exact`, `One and 2 more · sampled`, `Simulated`. */
function badgeText({ provenance }: ShownChart): string {
  const { sources, isSimulated, quality, outdatedMs } = provenance;
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

function isWarning({ provenance: { quality, outdatedMs } }: ShownChart): boolean {
  return outdatedMs !== undefined || quality === 'stale' || quality === 'disputed';
}

/** The time of the candles, if the price is newer; and the sources of compared coins. */
function candleTimes({ coin, provenance, ticker, compared }: ChartResult) {
  const own = provenance.madeAt;
  const isOlder =
    own !== undefined && ticker?.provenance.madeAt !== undefined && ticker.provenance.madeAt > own;
  const lines = isOlder
    ? [[{ text: `Candles of ${clean(coin.symbol)} as of ${formatInstant(own, Date.now())}` }]]
    : [];
  return [
    ...lines,
    ...compared.map(({ coin: other, provenance: { sources, isSimulated, quality } }) => {
      const names = sources.map((source) => titleOf(source) ?? clean(source));
      const who = [...names, ...(isSimulated ? ['simulated'] : [])].join(', ');
      return [{ text: `${clean(other.symbol)}: ${who || 'source unknown'} · ${words[quality]}` }];
    }),
  ];
}

/** The whole source in one line of text, as of a time. */
export function sourceText(result: ChartResult, chart: ShownChart, now: number): string {
  return plainText([chartSource(result, chart, now)]);
}
