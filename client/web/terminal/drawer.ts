import { type Line, span } from '../../commands/format/text.ts';
import { byId, lineElements } from '../dom.ts';
import { stored } from '../stored.ts';

export interface Drawer {
  /** Opens it for this once: the reader's own choice is kept. */
  open(): void;
  /** Shows the beginning of a result above the field for a while, if the output is closed. */
  peek(lines: readonly Line[]): void;
}

/** From here on the output is a column beside the page, as the style sheet has it. */
const WIDE = '(min-width: 80rem)';
const PEEK_LINES = 3;
/** Long enough to be read twice. */
const PEEK_MS = 15_000;

/**
 * The output of the terminal: a drawer above the docked field, or a column on wide screens, which can be closed too.
 * For each of them the state is kept over reloads; at first the drawer is closed and the column is open.
 */
export function setUpDrawer(runCommand: (command: string) => void): Drawer {
  const terminal = byId('terminal', HTMLElement);
  const toggle = byId('toggle-output', HTMLButtonElement);
  const log = byId('log', HTMLElement);
  const peek = byId('peek', HTMLElement);
  const wide = matchMedia(WIDE);
  const kept = {
    column: stored(
      () => localStorage,
      'marketdata.column',
      (value) => value !== false,
    ),
    drawer: stored(
      () => localStorage,
      'marketdata.drawer',
      (value) => value === true,
    ),
  };
  const choice = () => (wide.matches ? kept.column : kept.drawer);
  let ending: ReturnType<typeof setTimeout> | undefined;

  function set(isOpen: boolean): void {
    terminal.classList.toggle('open', isOpen);
    toggle.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return;
    peek.replaceChildren();
    log.scrollTop = log.scrollHeight;
  }

  function choose(isOpen: boolean): void {
    choice().write(isOpen);
    set(isOpen);
  }

  toggle.addEventListener('click', () => choose(!terminal.classList.contains('open')));
  log.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || wide.matches) return;
    choose(false);
    toggle.focus();
  });
  wide.addEventListener('change', () => set(choice().read()));
  set(choice().read());

  return {
    open: () => set(true),
    peek(lines) {
      if (terminal.classList.contains('open')) return;
      const told = lines.filter((line) => line.length > 0).slice(0, PEEK_LINES);
      const line = told.flatMap((each, index) => (index > 0 ? [span(' · ', 'muted'), ...each] : each));
      peek.replaceChildren(...lineElements([line], runCommand));
      clearTimeout(ending);
      ending = setTimeout(() => peek.replaceChildren(), PEEK_MS);
    },
  };
}
