import { element } from '../dom.ts';
import type { Choice } from './options.ts';

export interface Section {
  readonly title: string;
  readonly choices: readonly Choice[];
}

export interface List {
  /** Shows sections; the marked choice stays if it is still there, otherwise the first one is marked. */
  show(sections: readonly Section[]): void;
  mark(where: 'first' | 'last' | 'next' | 'previous'): void;
  readonly marked: () => Choice | undefined;
  /** The first one is marked again, whatever was before. */
  forget(): void;
}

/**
 * The listbox of a combobox: the focus stays in the field, which names the marked option (ARIA APG, combobox with listbox
 * popup).
 */
export function createList(
  listbox: HTMLElement,
  field: HTMLInputElement,
  onChoose: (choice: Choice) => void,
): List {
  let choices: readonly Choice[] = [];
  let key: string | undefined;

  const index = () => choices.findIndex((choice) => choice.key === key);

  function markAt(at: number): void {
    const choice = choices[at];
    for (const each of choices) each.element.setAttribute('aria-selected', String(each === choice));
    if (!choice) {
      field.removeAttribute('aria-activedescendant');
      return;
    }
    key = choice.key;
    field.setAttribute('aria-activedescendant', choice.element.id);
    choice.element.scrollIntoView({ block: 'nearest' });
  }

  return {
    show(sections) {
      const shown = sections.filter((section) => section.choices.length > 0);
      choices = shown.flatMap((section) => section.choices);
      for (const [at, choice] of choices.entries()) {
        choice.element.id = `palette-option-${at}`;
        // Before the click: pressing a button of the mouse would take the focus from the field.
        choice.element.addEventListener('mousedown', (event) => event.preventDefault());
        choice.element.addEventListener('click', () => onChoose(choice));
      }
      listbox.replaceChildren(
        ...shown.map(({ title, choices: own }) =>
          element(
            'div',
            { role: 'group', 'aria-label': title },
            element('div', { class: 'palette-title', 'aria-hidden': 'true' }, title),
            ...own.map((choice) => choice.element),
          ),
        ),
      );
      listbox.hidden = choices.length === 0;
      field.setAttribute('aria-expanded', String(choices.length > 0));
      markAt(Math.max(0, index()));
    },
    mark(where) {
      const last = choices.length - 1;
      if (where === 'first') markAt(0);
      else if (where === 'last') markAt(last);
      else if (where === 'next') markAt(index() >= last ? 0 : index() + 1);
      else markAt(index() <= 0 ? last : index() - 1);
    },
    marked: () => choices[index()],
    forget() {
      key = undefined;
    },
  };
}
