import { type Line, span } from '../../commands/format/text.ts';
import { element, lineElements } from '../dom.ts';

export interface Log {
  /** Shows a typed line with a place for its output, which `show` fills. */
  begin(typed: string): { show(lines: readonly Line[]): void };
  /** Shows lines that no command asked for. */
  note(lines: readonly Line[]): void;
  clear(): void;
  /** Number of characters that fit into a line. */
  columns(): number;
}

/** Nobody scrolls back further, and more entries would slow the page down. */
const MAX_ENTRIES = 200;

/** The output of the terminal in an element with role `log`: what is added is read out by screen readers. */
export function createLog(container: HTMLElement, runCommand: (command: string) => void): Log {
  container.tabIndex = 0; // what scrolls must be scrollable with the keyboard, in every browser

  function append(entry: HTMLElement): void {
    container.append(entry);
    while (container.childElementCount > MAX_ENTRIES) container.firstElementChild?.remove();
    container.scrollTop = container.scrollHeight;
  }

  return {
    begin(typed) {
      const output = element('div', {}, ...lineElements([[span('Loading …', 'muted')]], runCommand));
      append(element('div', { class: 'entry' }, element('div', { class: 'typed' }, `› ${typed}`), output));
      return {
        show(lines) {
          output.replaceChildren(...lineElements(lines, runCommand));
          container.scrollTop = container.scrollHeight;
        },
      };
    },
    note: (lines) => append(element('div', { class: 'entry' }, ...lineElements(lines, runCommand))),
    clear: () => container.replaceChildren(),
    columns() {
      const probe = element('span', { class: 'probe', 'aria-hidden': 'true' }, '0'.repeat(100));
      container.append(probe);
      const character = probe.getBoundingClientRect().width / 100;
      probe.remove();
      const { paddingLeft, paddingRight } = getComputedStyle(container);
      const width = container.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return Math.max(20, Math.floor(width / character));
    },
  };
}
