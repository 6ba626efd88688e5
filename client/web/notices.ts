import type { Result } from '../commands/result.ts';
import { button, byId, element } from './dom.ts';

export interface Notices {
  /** Notes what the top of the page has to say of a result, which it returns. */
  told<R extends Result>(result: R): R;
  /** Once simulated data was shown, the top of the page keeps saying so. */
  simulated(): void;
  /** The service wants a key, or another one: offers the settings. */
  keyWanted(): void;
  /** Takes the offer back. */
  keyGiven(): void;
}

/** What the top of the page says of all that is below it. */
export function setUpNotices(openSettings: () => void, hasKey: () => boolean): Notices {
  const badge = byId('simulated', HTMLElement);
  const wanted = byId('key-wanted', HTMLElement);
  const notices: Notices = {
    told(result) {
      if (isSimulated(result)) notices.simulated();
      if (result.kind === 'failure' && result.reason === 'unauthorized') notices.keyWanted();
      return result;
    },
    simulated() {
      badge.hidden = false;
    },
    keyWanted() {
      if (!wanted.hidden) return;
      const text = hasKey()
        ? 'This service does not accept the API key that was entered.'
        : 'This service wants an API key.';
      wanted.replaceChildren(
        element('p', {}, text),
        button('Open settings', openSettings, { class: 'primary' }),
      );
      wanted.hidden = false;
    },
    keyGiven() {
      wanted.hidden = true;
    },
  };
  return notices;
}

function isSimulated(result: Result): boolean {
  if (result.kind === 'price') return result.prices.some(({ provenance }) => provenance.isSimulated);
  return result.kind === 'chart' && result.provenance.isSimulated;
}
