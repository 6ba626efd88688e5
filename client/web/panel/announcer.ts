import { element } from '../dom.ts';

/** A held key moves faster than anything can be read out. */
const PAUSE_MS = 250;

export interface Announcer {
  readonly element: HTMLElement;
  /** Tells the last of what comes quickly; an empty text tells nothing any more. */
  say(text: string): void;
}

/** A place that screen readers read out when it changes, for what the eye sees elsewhere. */
export function createAnnouncer(): Announcer {
  const region = element('p', { class: 'visually-hidden heard', role: 'status', 'aria-live': 'polite' });
  let waiting: ReturnType<typeof setTimeout> | undefined;
  return {
    element: region,
    say(text) {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        region.textContent = text;
      }, PAUSE_MS);
    },
  };
}
