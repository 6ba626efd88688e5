/** Less is a click. */
const START_PX = 8;

export interface DragOptions {
  /** Puts the dragged card into the place of another one. */
  readonly moveTo: (dragged: HTMLElement, over: HTMLElement) => void;
  /** Puts the dragged card back to where it was. */
  readonly cancel: (dragged: HTMLElement) => void;
  readonly done: (dragged: HTMLElement) => void;
}

/** Cards are taken by their heads with a mouse or a pen; a finger scrolls, and has the buttons. Escape takes it back. */
export function setUpDrag(list: HTMLElement, { moveTo, cancel, done }: DragOptions): void {
  list.addEventListener('pointerdown', (start) => {
    const grip = start.target instanceof Element ? start.target.closest('.grip') : null;
    const card = grip?.closest<HTMLElement>('.card');
    if (!card || start.button !== 0 || start.pointerType === 'touch') return;
    start.preventDefault(); // no text is selected
    const listening = new AbortController();
    const { signal } = listening;
    let isDragging = false;

    document.addEventListener(
      'pointermove',
      ({ clientX, clientY }) => {
        if (!isDragging && Math.hypot(clientX - start.clientX, clientY - start.clientY) < START_PX) return;
        isDragging = true;
        card.classList.add('dragged');
        const over = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('.card');
        if (over && over !== card && list.contains(over)) moveTo(card, over);
      },
      { signal },
    );
    const end = (isDone: boolean) => {
      listening.abort();
      card.classList.remove('dragged');
      if (isDragging) (isDone ? done : cancel)(card);
    };
    document.addEventListener('pointerup', () => end(true), { signal });
    document.addEventListener('pointercancel', () => end(false), { signal });
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && end(false), { signal });
  });
}
