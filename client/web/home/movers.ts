import { type Conversion, converted } from '../../commands/currency/conversion.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { clean } from '../../commands/format/text.ts';
import type { MarketdataOverviewData } from '../../sdk/index.ts';
import { button, element } from '../dom.ts';
import { monogram } from '../monogram.ts';

type Mover = MarketdataOverviewData['gainers'][number];

export interface Movers {
  readonly element: HTMLElement;
  update(movers: readonly Mover[], conversion: Conversion | undefined): void;
}

const SHOWN = 5;

/** The coins that changed most in a day, in places that are as high while they are empty. */
export function createMovers(title: string, openChart: (id: string) => void): Movers {
  const list = element('ol', { class: 'movers' });
  list.append(...Array.from({ length: SHOWN }, () => element('li', {}, element('span', { class: 'bone' }))));

  return {
    element: element('section', { class: 'mover-part', 'aria-label': title }, element('h3', {}, title), list),
    update(movers, conversion) {
      const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
      const buttons = movers.slice(0, SHOWN).map((mover) => {
        const made = button('', () => openChart(mover.id), { class: 'open-coin' });
        made.title = `Chart of ${clean(mover.name)}`;
        made.append(
          monogram(mover),
          element(
            'span',
            { class: 'names' },
            element('span', { class: 'name' }, clean(mover.name)),
            element('span', { class: 'symbol' }, clean(mover.symbol)),
          ),
          element(
            'span',
            { class: 'figure' },
            element('span', { class: toneOf(mover.change) }, formatPercent(mover.change)),
            element(
              'span',
              { class: 'symbol' },
              formatPrice(converted(mover.price, conversion), conversion?.currency),
            ),
          ),
        );
        return made;
      });
      list.replaceChildren(...buttons.map((each) => element('li', {}, each)));
      if (buttons.length === 0) list.append(element('li', { class: 'none' }, 'None'));
      buttons[focused]?.focus();
    },
  };
}
