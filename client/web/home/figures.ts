import { type Conversion, converted } from '../../commands/currency/conversion.ts';
import { formatAmount, NOT_AVAILABLE } from '../../commands/format/numbers.ts';
import { clean } from '../../commands/format/text.ts';
import type { MarketdataOverviewData } from '../../sdk/index.ts';
import { element } from '../dom.ts';
import type { Arrived } from './feed.ts';
import { timeText } from './status.ts';

type Overview = Arrived<MarketdataOverviewData>;

/** The labels until the names of the largest coins are known. */
const LABELS = ['Market cap', '24h volume', 'BTC share', 'ETH share'] as const;

export interface Figures {
  readonly element: HTMLElement;
  update(overview: Overview | undefined, conversion: Conversion | undefined): void;
}

/** The market's totals and the shares of its largest coins, as large figures. */
export function createFigures(): Figures {
  const pairs = LABELS.map((label) => ({
    label: element('dt', {}, label),
    value: element('dd', {}, element('span', { class: 'bone' })),
  }));
  return {
    element: element(
      'dl',
      { class: 'figures' },
      ...pairs.map(({ label, value }) => element('div', {}, label, value)),
    ),
    update(overview, conversion) {
      if (!overview) return;
      for (const [index, [label, value]] of figuresOf(overview.data, conversion).entries()) {
        pairs[index]?.label.replaceChildren(label);
        pairs[index]?.value.replaceChildren(value);
      }
    },
  };
}

/** The same in a line of the header, without the second share and with the time. */
export function updateGlance(
  container: HTMLElement,
  overview: Overview | undefined,
  conversion: Conversion | undefined,
): void {
  if (!overview) return;
  const pairs = figuresOf(overview.data, conversion).slice(0, 3);
  container.replaceChildren(
    element(
      'dl',
      {},
      ...pairs.map(([label, value]) =>
        element('div', {}, element('dt', {}, label), element('dd', {}, value)),
      ),
      element('div', {}, element('dt', {}, 'as of'), element('dd', {}, timeText(overview))),
    ),
  );
}

function figuresOf(
  { marketCap, volume24h, largest }: MarketdataOverviewData,
  conversion: Conversion | undefined,
): readonly (readonly [string, string])[] {
  const amount = (usd: number | null) => formatAmount(converted(usd, conversion), conversion?.currency);
  const shares = [0, 1].map((index): readonly [string, string] => {
    const coin = largest[index];
    if (!coin) return [LABELS[index + 2] ?? '', NOT_AVAILABLE];
    return [`${symbolIn(coin.id)} share`, `${coin.share.toFixed(1)}%`];
  });
  return [[LABELS[0], amount(marketCap.usd)], [LABELS[1], amount(volume24h.usd)], ...shares];
}

/** Ids begin with the symbol: `btc-bitcoin`. */
function symbolIn(id: string): string {
  return clean(id.split('-', 1)[0] ?? id).toUpperCase();
}
