/**
 * A button that opens and closes a part of the page beside it. Escape closes it and puts the focus back, a click or a focus
 * elsewhere closes it too. `onOpen` runs before it is seen.
 */
export function setUpDisclosure(opener: HTMLElement, content: HTMLElement, onOpen = () => {}): () => void {
  content.hidden = true;
  opener.setAttribute('aria-expanded', 'false');

  function set(isOpen: boolean): void {
    if (isOpen) onOpen();
    content.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
    const listen = isOpen ? document.addEventListener : document.removeEventListener;
    listen.call(document, 'pointerdown', closeElsewhere);
    listen.call(document, 'focusin', closeElsewhere);
  }

  function close(): void {
    if (content.hidden) return;
    const hasFocus = content.contains(document.activeElement);
    set(false);
    if (hasFocus) opener.focus();
  }

  function closeElsewhere({ target }: Event): void {
    const isInside = target instanceof Node && (content.contains(target) || opener.contains(target));
    if (!isInside) set(false);
  }

  function closeByKey(event: Event): void {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Escape' || content.hidden) return;
    event.stopPropagation(); // one Escape closes one thing
    set(false);
    opener.focus();
  }

  opener.addEventListener('click', () => set(content.hidden === true));
  for (const part of [opener, content]) part.addEventListener('keydown', closeByKey);
  return close;
}
