import type { Line } from '../commands/format/text.ts';

type Attributes = Readonly<Record<string, string | undefined>>;

/** An element with attributes (undefined ones are left out) and children; text is never read as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function button(label: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onClick);
  return made;
}

/** The element of the page with that id. Throws if index.html has none of that kind. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`index.html has no ${kind.name} #${id}`);
  return found;
}

/** Lines of output as elements: tones become classes, commands become buttons that run them. */
export function lineElements(lines: readonly Line[], runCommand: (command: string) => void): HTMLElement[] {
  return lines.map((line) =>
    element(
      'div',
      { class: 'line' },
      ...line.map(({ text, tone, command }) =>
        command === undefined
          ? element('span', { class: tone }, text)
          : button(text, () => runCommand(command), { class: tone ? `command ${tone}` : 'command' }),
      ),
    ),
  );
}
