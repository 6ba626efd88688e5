import { formatInstant } from '../commands/format/time.ts';
import { byId } from './dom.ts';

export interface OfflineOptions {
  /** When the prices that are shown were made, in milliseconds since the epoch; undefined if that is not known. */
  readonly madeAt: () => number | undefined;
  /** After the browser came back to a network. */
  readonly onOnline: () => void;
}

export interface Offline {
  /** After something else is shown. */
  update(): void;
}

/** The browser's own knowledge; it may believe in a network that leads nowhere, but not the other way round. */
export function isOffline(): boolean {
  return navigator.onLine === false;
}

/** A line at the top of the page while the browser has no network. What is shown stays. */
export function setUpOffline({ madeAt, onOnline }: OfflineOptions): Offline {
  const line = byId('offline', HTMLElement);

  function update(): void {
    const text = isOffline() ? textOf(madeAt()) : '';
    if (line.textContent !== text) line.textContent = text;
    line.hidden = text === '';
  }

  window.addEventListener('offline', update);
  window.addEventListener('online', () => {
    update();
    onOnline();
  });
  update();
  return { update };
}

function textOf(time: number | undefined): string {
  if (time === undefined) return 'Offline: there are no prices to show.';
  return `Offline: prices are of ${formatInstant(time, Date.now())}.`;
}
