import type { ChartRange } from '../../commands/command.ts';
import { type RangeName, rangeNames, ranges } from '../../commands/parse/ranges.ts';
import { button, element } from '../dom.ts';
import { customLabel, intervalChoices } from './ranges.ts';

export interface RangeRow {
  readonly element: HTMLElement;
  update(range: ChartRange): void;
}

/** The usual ranges as buttons, of which one is pressed; arrow keys, Home and End go from one to the other. */
export function createRangeRow(name: string, onRange: (range: ChartRange) => void): RangeRow {
  let current: ChartRange = {};
  const buttons = rangeNames.map((range) => ({
    range,
    element: button(range.toUpperCase(), () => onRange(named(range)), {
      'aria-pressed': 'false',
      tabindex: '-1',
    }),
  }));
  const other = element('span', { class: 'other-range' });
  const row = element(
    'div',
    { class: 'ranges', role: 'group', 'aria-label': `Time of ${name}` },
    ...buttons.map((each) => each.element),
    other,
  );

  /** The time of a range, for the quote that the card has. */
  function named(range: RangeName): ChartRange {
    return { ...ranges[range], ...(current.quote && { quote: current.quote }) };
  }

  row.addEventListener('keydown', (event) => {
    const elements: readonly Element[] = buttons.map((each) => each.element);
    const at = document.activeElement ? elements.indexOf(document.activeElement) : -1;
    const last = elements.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: at === 0 ? last : at - 1,
      ArrowRight: at === last ? 0 : at + 1,
      Home: 0,
      End: last,
    };
    const target = buttons[targets[event.key] ?? -1]?.element;
    if (!target) return;
    event.preventDefault();
    target.focus();
  });
  row.addEventListener('focusin', ({ target }) => {
    for (const each of buttons) each.element.tabIndex = each.element === target ? 0 : -1;
  });

  return {
    element: row,
    update(range) {
      current = range;
      const pressed = rangeNameOf(range);
      for (const each of buttons) {
        const isPressed = each.range === pressed;
        each.element.setAttribute('aria-pressed', String(isPressed));
        each.element.tabIndex = isPressed || (!pressed && each === buttons[0]) ? 0 : -1;
      }
      other.textContent = pressed ? '' : rangeLabel(range);
    },
  };
}

function rangeNameOf({ interval = '24h', limit = 30, start, end }: ChartRange): RangeName | undefined {
  if (start !== undefined || end !== undefined) return undefined;
  return rangeNames.find((name) => ranges[name].interval === interval && ranges[name].limit === limit);
}

/** A range that no button has: `26 weeks`, `from 2026-01-01`. */
export function rangeLabel(range: ChartRange): string {
  const { interval = '24h', limit = 30, start, end } = range;
  const choice = intervalChoices[interval].ranges.find((each) => each.limit === limit);
  return choice && start === undefined && end === undefined ? choice.label : customLabel(range);
}
