import { commandSpan, type Line, span } from '../../commands/format/text.ts';
import type { FailureResult } from '../../commands/result.ts';
import { button, byId, element, lineElements } from '../dom.ts';
import { isUnknown } from './lookup.ts';

/** More coins that are not known are counted. */
const MAX_LINES = 3;

export interface Told {
  readonly failures: readonly FailureResult[];
  readonly remarks: readonly string[];
}

export interface Note {
  /** Tells of what an address asks for and the page does not show, with what can be done; nothing, if that is nothing. */
  tell(told: Told, onRetry: () => void): void;
  clear(): void;
}

export function createNote(runCommand: (command: string) => void): Note {
  const note = byId('address-note', HTMLElement);

  function clear(): void {
    note.hidden = true;
    note.replaceChildren();
  }

  return {
    clear,
    tell({ failures, remarks }, onRetry) {
      // The offer of the settings is at the top of the page already.
      const told = failures.filter(({ reason }) => reason !== 'unauthorized');
      const lines = [...told.map(lineOf), ...remarks.map((text): Line => [span(text)])];
      if (lines.length === 0) return clear();
      const over = lines.length - MAX_LINES;
      const shown = over > 0 ? [...lines.slice(0, MAX_LINES), [span(`And ${over} more.`)]] : lines;
      const retry = told.every(isUnknown)
        ? []
        : [button('Try again', onRetry, { 'aria-label': 'Try again to load the cards of this address' })];
      note.replaceChildren(
        element('div', { class: 'reason' }, ...lineElements(shown, runCommand)),
        element('div', { class: 'steps' }, ...retry, button('Dismiss', clear)),
      );
      note.hidden = false;
    },
  };
}

/** A failure with its next step in one line. */
function lineOf({ lines }: FailureResult): Line {
  return lines.flatMap((line, index) => [
    ...(index > 0 ? [span(' ')] : []),
    ...line.map(({ text, command }) => (command === undefined ? span(text) : commandSpan(command))),
  ]);
}
