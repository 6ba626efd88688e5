import { byId } from './dom.ts';

export type View = 'market' | 'charts';

export interface Views {
  readonly current: () => View;
  show(view: View): void;
  /** Calls `listener` after another view is shown. */
  onChange(listener: () => void): void;
  /** Moves the focus to the switch. */
  focus(): void;
}

/** The first screen or the charts, by two buttons: the first screen while there is no chart, and when it is asked for. */
export function setUpViews(onShow: (view: View) => void): Views {
  const cards = byId('cards', HTMLOListElement);
  const count = byId('chart-count', HTMLElement);
  const parts = {
    market: { button: byId('show-market', HTMLButtonElement), section: byId('market', HTMLElement) },
    charts: { button: byId('show-charts', HTMLButtonElement), section: byId('panel', HTMLElement) },
  };
  /** How far each was scrolled when it was left. */
  const tops = { market: 0, charts: 0 };
  let shown: View | undefined;
  let last = 0;
  const listeners: (() => void)[] = [];
  /** To go back there if the chart that is expected does not come. */
  let before: { readonly view: View; readonly focused: Element | null } | undefined;

  function show(view: View): void {
    before = undefined;
    if (view === shown) return;
    const isFirst = shown === undefined; // a reload keeps its place
    if (shown !== undefined) tops[shown] = scrollY;
    shown = view;
    for (const [name, { button, section }] of Object.entries(parts)) {
      section.hidden = name !== view;
      button.setAttribute('aria-pressed', String(name === view));
    }
    onShow(view);
    if (!isFirst) scrollTo(0, tops[view]);
    for (const listener of listeners) listener();
  }

  /** A chart is shown as it comes, also while it is expected; the last one leaves the first screen behind. */
  function update(): void {
    const now = cards.childElementCount;
    const expected = cards.querySelectorAll(':scope > .expected').length;
    parts.charts.button.disabled = now === 0;
    count.textContent = now === expected ? '' : ` (${now - expected})`;
    if (before && expected === 0) goBack(before);
    if (now === 0) show('market');
    else if (now > last && expected > 0) expect();
    else if (now > last) show('charts');
    last = now;
  }

  function expect(): void {
    const from = before ?? { view: shown ?? 'market', focused: document.activeElement };
    show('charts');
    before = from;
  }

  function goBack({ view, focused }: NonNullable<typeof before>): void {
    show(view);
    // What was pressed lost the focus as it was hidden.
    if (document.activeElement === document.body && focused instanceof HTMLElement) {
      focused.focus({ preventScroll: true });
    }
  }

  for (const [name, { button }] of Object.entries(parts)) {
    button.addEventListener('click', () => show(name === 'market' ? 'market' : 'charts'));
  }
  new MutationObserver(update).observe(cards, { childList: true });
  update();

  return {
    current: () => shown ?? 'market',
    show,
    onChange(listener) {
      listeners.push(listener);
    },
    focus() {
      update(); // the last chart may have been removed just now
      parts[shown ?? 'market'].button.focus();
    },
  };
}
