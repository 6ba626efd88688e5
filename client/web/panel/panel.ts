import { coinTitle } from '../../commands/format/coin.ts';
import { conversionText } from '../../commands/format/conversion.ts';
import { clean } from '../../commands/format/text.ts';
import type { ChartResult } from '../../commands/result.ts';
import type { KnownTicker, MissingTicker, Tickers } from '../../commands/tickers.ts';
import { byId, element } from '../dom.ts';
import { stored } from '../stored.ts';
import { type Card, type CardOptions, createCard } from './card.ts';
import { type CardRequest, cardRequestsOf, keyOf, requestOf } from './card-request.ts';
import { setUpDrag } from './drag.ts';
import { keepFresh } from './refresher.ts';
import { createUndo } from './undo.ts';

export interface PanelOptions
  extends Pick<CardOptions, 'load' | 'find' | 'conversion' | 'runCommand' | 'onSettings'> {
  readonly tickers: Tickers;
  /** Asks for the prices of several coins in one request. */
  readonly askAll: (ids: readonly string[]) => Promise<readonly (KnownTicker | MissingTicker)[]>;
  readonly ask: (id: string) => Promise<KnownTicker>;
  /** Moves the focus when no card is left. */
  readonly focusElsewhere: () => void;
}

export interface Panel {
  /** Adds a card with the chart, or focuses the one that shows it already. */
  add(result: ChartResult): 'added' | 'focused';
  /** Holds the place of the chart of a symbol that is on its way, until the returned function is called. */
  expect(symbol: string): () => void;
  /** What the cards show, in their order. */
  requests(): readonly CardRequest[];
  /** Shows these cards in this order; those that are there already stay as they are. */
  replace(requests: readonly CardRequest[]): void;
  /** Calls `listener` after cards came, went, moved, or show something else; returns how to stop. */
  onChange(listener: () => void): () => void;
  retryFailed(): void;
  /** Shows the same candles in the currency that the page has now. */
  convert(): void;
}

/** The cards of the analytics panel, in their order, kept over reloads and kept fresh. */
export function createPanel(options: PanelOptions): Panel {
  const { conversion, tickers, askAll, ask, focusElsewhere } = options;
  const list = byId('cards', HTMLOListElement);
  const empty = byId('empty', HTMLElement);
  const status = byId('panel-status', HTMLElement);
  const kept = stored(() => localStorage, 'marketdata.cards', cardRequestsOf);
  const cards: Card[] = [];
  const seen = new Set<Element>();
  const listeners = new Set<() => void>();
  const undo = createUndo(() => focusNear(0));
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
  });
  let expected = 0;
  let expanded: Card | undefined;

  function update(): void {
    empty.hidden = cards.length + expected > 0;
    kept.write(cards.map((card) => card.request()));
    for (const listener of listeners) listener();
  }

  function announce(text: string): void {
    status.textContent = text;
  }

  function create(request: CardRequest, place = cards.length): Card {
    const card: Card = createCard(request, {
      ...options,
      ticker: tickers.known,
      announce,
      onChange: update,
      onMove: (by) => moveBy(card, by),
      onExpand: () => expand(expanded === card ? undefined : card),
      onRemove: () => remove(card),
    });
    cards.splice(place, 0, card);
    const item = element('li', {}, card.element);
    list.insertBefore(item, list.children[place] ?? null);
    sight.observe(card.element);
    return card;
  }

  /** Takes a card out of the page. */
  function drop(card: Card): number {
    const index = cards.indexOf(card);
    const item = card.element.parentElement;
    if (expanded === card) expand(undefined);
    cards.splice(index, 1);
    sight.unobserve(card.element);
    seen.delete(card.element);
    card.remove();
    item?.remove();
    return index;
  }

  function remove(card: Card): void {
    const [request, result] = [card.request(), card.result()];
    const index = drop(card);
    update();
    focusNear(index);
    announce(`${coinTitle(request.coin)} removed`);
    undo.offer(`${clean(request.coin.name)} removed`, () => {
      const again = create(request, Math.min(index, cards.length));
      void again.show(request, result);
      update();
      queueMicrotask(() => again.focus()); // after the charts, which are hidden without a card, are shown again
      announce(`${coinTitle(request.coin)} is back`);
    });
  }

  function focusNear(index: number): void {
    const next = cards[index] ?? cards.at(-1);
    if (next) next.focus();
    else focusElsewhere();
  }

  function moveBy(card: Card, by: -1 | 1): void {
    const to = cards.indexOf(card) + by;
    if (to < 0 || to >= cards.length) return;
    const focused = document.activeElement;
    move(card, to);
    if (focused instanceof HTMLElement) focused.focus(); // moving an element takes the focus from it
    settle(card);
  }

  function move(card: Card, to: number): void {
    const from = cards.indexOf(card);
    const item = card.element.parentElement;
    const other = cards[to]?.element.parentElement;
    cards.splice(from, 1);
    cards.splice(to, 0, card);
    if (item && other && item !== other) (to < from ? other.before : other.after).call(other, item);
  }

  function settle(card: Card): void {
    update();
    const place = cards.indexOf(card) + 1;
    announce(`${coinTitle(card.request().coin)} moved to place ${place} of ${cards.length}`);
  }

  /** One card over all others, or none. */
  function expand(card: Card | undefined): void {
    const before = expanded;
    expanded = card;
    for (const each of cards) each.setExpanded(each === card);
    list.classList.toggle('one', card !== undefined);
    (card ?? before)?.element.scrollIntoView({ block: 'nearest' });
    if (card) announce(`${coinTitle(card.request().coin)} alone. Escape goes back.`);
  }

  let dragged: { readonly card: Card; readonly from: number } | undefined;
  setUpDrag(list, {
    moveTo(draggedElement, over) {
      const card = cards.find((each) => each.element === draggedElement);
      const to = cards.findIndex((each) => each.element === over);
      if (!card || to < 0) return;
      dragged ??= { card, from: cards.indexOf(card) };
      move(card, to);
    },
    cancel() {
      if (dragged) move(dragged.card, dragged.from);
      dragged = undefined;
    },
    done() {
      if (dragged) settle(dragged.card);
      dragged = undefined;
    },
  });
  list.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !expanded) return;
    const card = expanded;
    expand(undefined);
    card.focus();
  });
  tickers.onChange((id) => {
    for (const card of cards) {
      const result = card.result();
      const coins = result ? [result, ...result.compared] : [];
      if (coins.some(({ coin }) => coin.id === id)) card.redraw();
    }
  });
  keepFresh({
    cards: () => cards,
    isSeen: (card) => seen.has(card.element),
    ticker: tickers.known,
    askAll,
    ask,
  });

  /** The prices of all in one request, which their charts then wait for. */
  function showAll(requests: readonly CardRequest[]): void {
    const ids = requests.flatMap(({ coin, compared }) => [coin, ...compared].map((each) => each.id));
    if (requests.length > 1) void askAll([...new Set(ids)].slice(0, 100)).catch(() => undefined);
    for (const request of requests) void create(request).show(request);
  }

  showAll(kept.read());
  update();

  return {
    add(result) {
      const asked = requestOf(result);
      const twin = cards.find((card) => keyOf(card.request()) === keyOf(asked));
      const request = { ...asked, isLogarithmic: twin?.request().isLogarithmic ?? false };
      const card = twin ?? create(request);
      void card.show(request, result);
      update();
      if (twin) card.focus();
      else card.element.scrollIntoView({ block: 'nearest' });
      return twin ? 'focused' : 'added';
    },
    expect(symbol) {
      const place = element(
        'li',
        { class: 'expected', 'aria-hidden': 'true' },
        element('div', { class: 'card skeleton' }, element('span', {}, `Loading ${clean(symbol)} …`)),
      );
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
    requests: () => cards.map((card) => card.request()),
    replace(requests) {
      const left = new Set(cards);
      const missing: CardRequest[] = [];
      for (const request of requests) {
        const twin = [...left].find((card) => keyOf(card.request()) === keyOf(request));
        if (twin) {
          left.delete(twin);
          void twin.show(request, twin.result());
        } else missing.push(request);
      }
      for (const card of left) drop(card);
      showAll(missing);
      for (const [to, request] of requests.entries()) {
        const card = cards.find((each, at) => at >= to && keyOf(each.request()) === keyOf(request));
        if (card) move(card, to);
      }
      update();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryFailed() {
      for (const card of cards) card.retryIfFailed();
    },
    convert() {
      for (const card of cards) card.redraw();
      const shown = conversion();
      if (cards.length > 0)
        announce(`All charts ${shown ? conversionText(shown, Date.now()) : 'in US dollars'}`);
    },
  };
}
