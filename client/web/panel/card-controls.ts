import type { ChartStyle } from '../../commands/command.ts';
import type { ChartRange } from '../../commands/providers.ts';
import { button, element } from '../dom.ts';
import { customLabel, type Interval, intervalChoices, withInterval, withLimit } from './ranges.ts';

export interface ControlEvents {
  onStyle(style: ChartStyle): void;
  onRange(range: ChartRange): void;
  onRefresh(): void;
  onMove(by: -1 | 1): void;
  onRemove(): void;
}

export interface Controls {
  /** Candles or line, interval and range. */
  readonly view: HTMLElement;
  /** Refresh, move and remove. */
  readonly actions: HTMLElement;
  update(style: ChartStyle, range: ChartRange): void;
}

const styles = { candles: 'Candles', line: 'Line' } as const;
const CUSTOM = 'custom';

/** The buttons and selects of a card; `name` goes into their labels, for screen readers. */
export function createControls(name: string, events: ControlEvents): Controls {
  const styleButtons = (['candles', 'line'] as const).map((style) => ({
    style,
    element: button(styles[style], () => events.onStyle(style), { 'aria-pressed': 'false' }),
  }));
  const interval = element('select', { 'aria-label': `Interval of ${name}` });
  const range = element('select', { 'aria-label': `Range of ${name}` });
  let current: ChartRange = {};

  interval.append(
    ...Object.entries(intervalChoices).map(([value, { label }]) => element('option', { value }, label)),
  );
  interval.addEventListener('change', () => {
    events.onRange(withInterval(current, intervalOf(interval.value)));
  });
  range.addEventListener('change', () => {
    if (range.value !== CUSTOM) events.onRange(withLimit(current, Number(range.value)));
  });

  const icon = (text: string, label: string, onClick: () => void) =>
    button(text, onClick, { 'aria-label': `${label} ${name}`, title: label, class: 'icon' });

  return {
    view: element(
      'div',
      { class: 'view', role: 'group', 'aria-label': `View of ${name}` },
      element('span', { class: 'toggle' }, ...styleButtons.map((each) => each.element)),
      interval,
      range,
    ),
    actions: element(
      'div',
      { class: 'card-actions', role: 'group', 'aria-label': `Actions on ${name}` },
      icon('↑', 'Move up', () => events.onMove(-1)),
      icon('↓', 'Move down', () => events.onMove(1)),
      icon('↻', 'Refresh', () => events.onRefresh()),
      icon('✕', 'Remove', () => events.onRemove()),
    ),
    update(style, shown) {
      current = shown;
      for (const each of styleButtons)
        each.element.setAttribute('aria-pressed', String(each.style === style));
      const { ranges } = intervalChoices[shown.interval ?? '24h'];
      const isChoice = shown.start === undefined && shown.end === undefined;
      const chosen = isChoice ? ranges.find(({ limit }) => limit === (shown.limit ?? 30)) : undefined;
      range.replaceChildren(
        ...(chosen ? [] : [element('option', { value: CUSTOM }, customLabel(shown))]),
        ...ranges.map(({ limit, label }) => element('option', { value: String(limit) }, label)),
      );
      interval.value = shown.interval ?? '24h';
      range.value = chosen ? String(chosen.limit) : CUSTOM;
    },
  };
}

function intervalOf(value: string): Interval {
  return Object.hasOwn(intervalChoices, value) ? (value as Interval) : '24h';
}
