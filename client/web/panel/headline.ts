import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import type { ShownChart } from '../../commands/shown-chart.ts';
import { element } from '../dom.ts';
import { ageOf } from './age.ts';

export interface Headline {
  /** Price and change. */
  readonly element: HTMLElement;
  readonly age: HTMLElement;
  /** Shows the price, the change with its period, and how old they are. */
  show(chart: ShownChart): void;
  /** Shows how old they are by now, and moves nothing else. */
  tick(): void;
}

/** The price of a card, before all else. */
export function createHeadline(): Headline {
  const price = element('span', { class: 'price' });
  const change = element('span', { class: 'pill', hidden: '' });
  const age = element('p', { class: 'age' });
  let shown: ShownChart | undefined;

  function tick(): void {
    const now = shown && ageOf(shown.provenance, Date.now());
    if (age.textContent !== (now?.text ?? '')) age.textContent = now?.text ?? '';
    age.classList.toggle('old', now?.isOld === true);
  }

  return {
    element: element('p', { class: 'last' }, price, ' ', change),
    age,
    show(chart) {
      shown = chart;
      price.textContent = formatPrice(chart.price, chart.quote);
      change.textContent = changeText(chart);
      change.className = `pill ${toneOf(chart.change) ?? ''}`.trim();
      change.hidden = chart.series.length === 0;
      tick();
    },
    tick,
  };
}

/** `last $67,123.46, 30d +5.20%`. */
export function priceText(chart: ShownChart): string {
  return `last ${formatPrice(chart.price, chart.quote)}, ${changeText(chart)}`;
}

/** `30d +5.20%`. */
export function changeText({ change, period }: ShownChart): string {
  return `${period} ${formatPercent(change)}`;
}
