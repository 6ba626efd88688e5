import type { Conversion } from '../../commands/currency/conversion.ts';
import { coinTitle } from '../../commands/format/coin.ts';
import { conversionText } from '../../commands/format/conversion.ts';
import type { ChartResult, FailureResult } from '../../commands/result.ts';
import { byId, element } from '../dom.ts';
import { stored } from '../stored.ts';
import { type Card, createCard } from './card.ts';
import { type CardRequest, cardRequestsOf, keyOf } from './card-request.ts';

export interface PanelOptions {
  readonly load: (request: CardRequest) => Promise<ChartResult | FailureResult>;
  readonly conversion: () => Conversion | undefined;
  readonly runCommand: (command: string) => void;
  /** Moves the focus when no card is left. */
  readonly focusElsewhere: () => void;
}

export interface Panel {
  /** Adds a card with the chart, or focuses the one that shows it already. */
  add(result: ChartResult): 'added' | 'focused';
  /** Holds the place of a chart that is on its way, until the returned function is called. */
  expect(): () => void;
  retryFailed(): void;
  /** Shows the same candles in the currency that the page has now. */
  convert(): void;
}

/** The cards of the analytics panel, in their order, kept over reloads. */
export function createPanel({ load, conversion, runCommand, focusElsewhere }: PanelOptions): Panel {
  const list = byId('cards', HTMLOListElement);
  const empty = byId('empty', HTMLElement);
  const status = byId('panel-status', HTMLElement);
  const kept = stored(() => localStorage, 'marketdata.cards', cardRequestsOf);
  const cards: Card[] = [];
  let expected = 0;

  function update(): void {
    empty.hidden = cards.length + expected > 0;
    kept.write(cards.map((card) => card.request()));
  }

  function create(request: CardRequest): Card {
    const card: Card = createCard(request, {
      load,
      conversion,
      runCommand,
      onChange: update,
      onMove: (by) => move(card, by),
      onRemove: () => remove(card),
    });
    cards.push(card);
    list.append(element('li', {}, card.element));
    return card;
  }

  function remove(card: Card): void {
    const index = cards.indexOf(card);
    const item = card.element.parentElement;
    cards.splice(index, 1);
    card.remove();
    item?.remove();
    update();
    status.textContent = `${coinTitle(card.request().coin)} removed`;
    const next = cards[index] ?? cards.at(-1);
    if (next) next.focus();
    else focusElsewhere();
  }

  function move(card: Card, by: -1 | 1): void {
    const from = cards.indexOf(card);
    const to = from + by;
    const neighbour = cards[to];
    if (!neighbour) return;
    const focused = document.activeElement;
    cards.splice(from, 1);
    cards.splice(to, 0, card);
    const item = card.element.parentElement;
    const other = neighbour.element.parentElement;
    if (item && other) (by < 0 ? other.before : other.after).call(other, item);
    if (focused instanceof HTMLElement) focused.focus(); // moving an element takes the focus from it
    update();
    status.textContent = `${coinTitle(card.request().coin)} moved to place ${to + 1} of ${cards.length}`;
  }

  for (const request of kept.read()) void create(request).show(request);
  update();

  return {
    add(result) {
      const request: CardRequest = {
        coin: result.coin,
        command: { ...result.command, symbol: result.coin.id, currency: undefined }, // all cards have the page's
      };
      const twin = cards.find((card) => keyOf(card.request()) === keyOf(request));
      const card = twin ?? create(request);
      void card.show(request, result);
      update();
      if (twin) card.focus();
      else card.element.scrollIntoView({ block: 'nearest' });
      return twin ? 'focused' : 'added';
    },
    expect() {
      const place = element('li', { 'aria-hidden': 'true' }, element('div', { class: 'card skeleton' }));
      expected += 1;
      update();
      list.append(place);
      place.scrollIntoView({ block: 'nearest' });
      return () => {
        expected -= 1;
        place.remove();
        update();
      };
    },
    retryFailed() {
      for (const card of cards) card.retryIfFailed();
    },
    convert() {
      for (const card of cards) card.convert();
      const shown = conversion();
      if (cards.length > 0)
        status.textContent = `All charts ${shown ? conversionText(shown, Date.now()) : 'in US dollars'}`;
    },
  };
}
