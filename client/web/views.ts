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

  function show(view: View): void {
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

  /** The first chart is shown as it comes, and the last one leaves the first screen behind. */
  function update(): void {
    const now = cards.childElementCount;
    parts.charts.button.disabled = now === 0;
    count.textContent = now === 0 ? '' : ` (${now})`;
    if (now === 0) show('market');
    else if (now > last) show('charts');
    last = now;
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
