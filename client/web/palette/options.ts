import { type Conversion, converted } from '../../commands/currency/conversion.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { clean } from '../../commands/format/text.ts';
import type { KnownTicker } from '../../commands/tickers.ts';
import { element } from '../dom.ts';
import { monogram } from '../monogram.ts';
import type { PaletteCommand } from './commands.ts';
import type { ListedCoin } from './recent.ts';

/** Something that can be chosen. */
export interface Choice {
  /** Stays the same while suggestions come and go. */
  readonly key: string;
  readonly element: HTMLElement;
  readonly run: () => void;
}

export interface Priced {
  readonly ticker: KnownTicker | undefined;
  readonly conversion: Conversion | undefined;
  /** Its price is on its way. */
  readonly isLoading: boolean;
}

export function coinChoice(coin: ListedCoin, priced: Priced, run: () => void): Choice {
  const { rank } = coin;
  const names = element(
    'span',
    { class: 'names' },
    element('span', { class: 'name' }, clean(coin.name)),
    element('span', { class: 'symbol' }, clean(coin.symbol), rank ? ` · rank ${rank}` : ''),
  );
  return { key: `coin ${coin.id}`, element: option(monogram(coin), names, priceOf(priced)), run };
}

export function commandChoice({ title, hint, run }: PaletteCommand): Choice {
  const names = element(
    'span',
    { class: 'names' },
    element('span', { class: 'name' }, title),
    element('span', { class: 'symbol' }, hint),
  );
  return { key: `command ${title}`, element: option(mark('›'), names), run };
}

/** A typed command line, as it is. */
export function lineChoice(line: string, run: () => void): Choice {
  const text = element('code', { class: 'name' }, line);
  return { key: 'line', element: option(mark('›'), element('span', { class: 'names' }, 'Run ', text)), run };
}

function option(...parts: readonly Node[]): HTMLElement {
  return element('div', { role: 'option', class: 'option', 'aria-selected': 'false' }, ...parts);
}

function mark(text: string): HTMLElement {
  return element('span', { class: 'mark', 'aria-hidden': 'true' }, text);
}

function priceOf({ ticker, conversion, isLoading }: Priced): HTMLElement {
  const place = element('span', { class: 'figure' });
  if (!ticker) {
    if (isLoading) place.append(element('span', { class: 'bone' }));
    return place;
  }
  const { price, percent_change_24h: change } = ticker.data.quotes.USD;
  place.append(
    element('span', {}, formatPrice(converted(price, conversion), conversion?.currency)),
    element('span', { class: toneOf(change) }, `24h ${formatPercent(change)}`),
  );
  return place;
}
