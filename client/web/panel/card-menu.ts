import type { ChartRange, ChartStyle } from '../../commands/command.ts';
import { button, element } from '../dom.ts';
import type { CardRequest } from './card-request.ts';
import { type CompareEvents, createCompareField } from './compare-field.ts';
import { setUpDisclosure } from './disclosure.ts';
import { icon } from './icons.ts';
import { customLabel, type Interval, intervalChoices, withInterval, withLimit } from './ranges.ts';

export interface MenuEvents extends CompareEvents {
  onStyle(style: ChartStyle): void;
  onLogarithmic(isLogarithmic: boolean): void;
  onRange(range: ChartRange): void;
  onCopyLink(): void;
  onPicture(): void;
  onTable(): void;
  onExpand(): void;
  onRefresh(): void;
  onMove(by: -1 | 1): void;
  readonly onRemoveCard: () => void;
}

export interface CardMenu {
  readonly opener: HTMLElement;
  readonly element: HTMLElement;
  update(request: CardRequest, style: ChartStyle, canBeLogarithmic: boolean): void;
}

const styles = { candles: 'Candles', line: 'Line' } as const;
const CUSTOM = 'custom';

/** Everything that can be done with a card, behind one button; `name` goes into the labels, for screen readers. */
export function createCardMenu(name: string, events: MenuEvents): CardMenu {
  const opener = button('', () => {}, {
    class: 'icon',
    'aria-label': `Options of ${name}`,
    title: 'Options',
  });
  opener.append(icon('more'));
  const styleButtons = (['candles', 'line'] as const).map((style) => ({
    style,
    element: button(styles[style], () => events.onStyle(style), { 'aria-pressed': 'false' }),
  }));
  const logarithmic = button('Log scale', () => events.onLogarithmic(!isPressed(logarithmic)), {
    'aria-pressed': 'false',
  });
  const interval = element('select', { 'aria-label': `Interval of ${name}` });
  const range = element('select', { 'aria-label': `Range of ${name}` });
  const compare = createCompareField(name, events);
  let current: ChartRange = {};

  interval.append(
    ...Object.entries(intervalChoices).map(([value, { label }]) => element('option', { value }, label)),
  );
  interval.addEventListener('change', () =>
    events.onRange(withInterval(current, intervalOf(interval.value))),
  );
  range.addEventListener('change', () => {
    if (range.value !== CUSTOM) events.onRange(withLimit(current, Number(range.value)));
  });

  /** Does its work and closes the menu. */
  const action = (label: string, onClick: () => void) =>
    button(
      label,
      () => {
        close();
        onClick();
      },
      { 'aria-label': `${label} ${name}` },
    );
  /** Moving is done several times in a row. */
  const step = (label: string, by: -1 | 1) =>
    button(label, () => events.onMove(by), { 'aria-label': `${label} ${name}` });

  const content = element(
    'div',
    { class: 'menu', role: 'group', 'aria-label': `Options of ${name}` },
    element(
      'div',
      { class: 'view', role: 'group', 'aria-label': `View of ${name}` },
      element('span', { class: 'toggle' }, ...styleButtons.map((each) => each.element)),
      logarithmic,
      element('label', {}, element('span', { class: 'field-name' }, 'Interval'), interval),
      element('label', {}, element('span', { class: 'field-name' }, 'Range'), range),
    ),
    compare.element,
    element(
      'div',
      { class: 'menu-actions' },
      action('Copy link', events.onCopyLink),
      action('Save PNG', events.onPicture),
      action('Save CSV', events.onTable),
      action('Expand', events.onExpand),
      step('Move up', -1),
      step('Move down', 1),
      action('Refresh', events.onRefresh),
      action('Remove', events.onRemoveCard),
    ),
  );
  const close = setUpDisclosure(opener, content);

  return {
    opener,
    element: content,
    update(request, style, canBeLogarithmic) {
      current = request.command.range;
      const isCompared = request.compared.length > 0;
      for (const each of styleButtons) {
        each.element.setAttribute('aria-pressed', String(each.style === style));
        each.element.disabled = isCompared;
      }
      logarithmic.setAttribute('aria-pressed', String(request.isLogarithmic && canBeLogarithmic));
      logarithmic.disabled = isCompared || !canBeLogarithmic;
      const { ranges } = intervalChoices[current.interval ?? '24h'];
      const isChoice = current.start === undefined && current.end === undefined;
      const chosen = isChoice ? ranges.find(({ limit }) => limit === (current.limit ?? 30)) : undefined;
      range.replaceChildren(
        ...(chosen ? [] : [element('option', { value: CUSTOM }, customLabel(current))]),
        ...ranges.map(({ limit, label }) => element('option', { value: String(limit) }, label)),
      );
      interval.value = current.interval ?? '24h';
      range.value = chosen ? String(chosen.limit) : CUSTOM;
      compare.update(request.coin, request.compared);
    },
  };
}

function isPressed(toggle: HTMLElement): boolean {
  return toggle.getAttribute('aria-pressed') === 'true';
}

function intervalOf(value: string): Interval {
  return Object.hasOwn(intervalChoices, value) ? (value as Interval) : '24h';
}
