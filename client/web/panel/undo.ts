import { button, element } from '../dom.ts';

/** So long it is offered, and longer while it is looked at or has the focus. */
const OFFERED_MS = 10_000;

export interface Undo {
  /** Offers to take something back; an earlier offer ends. */
  offer(text: string, undo: () => void): void;
}

/** A note at the edge of the screen with a button. `onLost` gets the focus if the note had it at its end. */
export function createUndo(onLost: () => void): Undo {
  const note = element('div', { class: 'undo', role: 'status', hidden: '' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.body.append(note);

  function end(): void {
    const hadFocus = note.contains(document.activeElement);
    note.hidden = true;
    note.replaceChildren();
    if (hadFocus) onLost();
  }

  function wait(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (note.matches(':hover, :focus-within')) wait();
      else end();
    }, OFFERED_MS);
  }

  return {
    offer(text, undo) {
      const take = button('Undo', () => {
        clearTimeout(timer);
        note.hidden = true;
        note.replaceChildren();
        undo();
      });
      note.hidden = false;
      note.replaceChildren(element('span', {}, `${text}. `), take);
      wait();
    },
  };
}
