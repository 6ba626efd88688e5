import { type Conversion, converted } from '../../commands/currency/conversion.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { clean } from '../../commands/format/text.ts';
import type { MarketdataTickersData } from '../../sdk/index.ts';
import { button, element } from '../dom.ts';
import { monogram } from '../monogram.ts';
import { sparkline } from './sparkline.ts';

export type ListedCoin = Extract<MarketdataTickersData['results'][number], { readonly ticker: unknown }>;
export type Prices = readonly (number | null)[];

export interface CoinRow {
  readonly element: HTMLTableRowElement;
  update(coin: ListedCoin, prices: Prices | undefined, conversion: Conversion | undefined): void;
}

const NOTES = { exact: '', disputed: 'disputed', stale: 'old' } as const;

/** A row of the table; a click anywhere in it, or Enter on its button, asks for the coin's chart. */
export function createRow(openChart: (id: string) => void): CoinRow {
  let id = '';
  let drawn: Prices | undefined;
  const rank = element('td', { class: 'rank' });
  const mark = element('span', { class: 'monogram bone' });
  const name = element('span', { class: 'name' }, element('span', { class: 'bone' }));
  const symbol = element('span', { class: 'symbol' });
  const open = button('', () => openChart(id), { class: 'open-coin', disabled: '', 'aria-label': 'Loading' });
  const price = element('span', { class: 'coin-price' }, element('span', { class: 'bone' }));
  const below = element('span', { class: 'below' });
  const hour = element('td', { class: 'change hour' });
  const day = element('td', { class: 'change day' });
  const week = element('td', { class: 'change week' });
  const line = element('td', { class: 'line-cell' });
  open.append(mark, element('span', { class: 'names' }, name, symbol));
  const row = element(
    'tr',
    {},
    rank,
    element('th', { scope: 'row' }, open),
    element('td', { class: 'price-cell' }, price, below),
    hour,
    day,
    week,
    line,
  );

  return {
    element: row,
    update({ ticker, quality }, prices, conversion) {
      const usd = ticker.quotes.USD;
      if (ticker.id !== id) {
        id = ticker.id;
        open.disabled = false;
        open.removeAttribute('aria-label');
        open.firstElementChild?.replaceWith(monogram(ticker));
        open.title = `Chart of ${clean(ticker.name)}`;
      }
      rank.textContent = ticker.rank === null ? '' : String(ticker.rank);
      name.textContent = clean(ticker.name);
      symbol.replaceChildren(
        clean(ticker.symbol),
        ...(NOTES[quality] ? [element('span', { class: 'note' }, ` ${NOTES[quality]}`)] : []),
      );
      price.textContent = formatPrice(converted(usd.price, conversion), conversion?.currency);
      showChange(hour, usd.percent_change_1h);
      showChange(day, usd.percent_change_24h);
      showChange(week, usd.percent_change_7d);
      showChange(below, usd.percent_change_24h);
      if (prices === drawn) return;
      drawn = prices;
      line.replaceChildren(...(prices ? [sparkline(prices, toneOf(usd.percent_change_7d))] : []));
    },
  };
}

function showChange(place: HTMLElement, change: number | null): void {
  const tone = toneOf(change);
  place.textContent = formatPercent(change);
  place.classList.toggle('up', tone === 'up');
  place.classList.toggle('down', tone === 'down');
}
