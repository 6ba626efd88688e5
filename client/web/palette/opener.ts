import { byId } from '../dom.ts';
import { isOffline } from '../offline.ts';
import type { Palette, PaletteOptions } from './palette.ts';

const OFFLINE = 'Offline: this part of the page is not there yet.';
/** A browser does not ask again for a script that failed. */
const NOT_LOADED = 'This part of the page could not be loaded: load the page again.';

/**
 * Opens the palette: by its button, by `/` outside of fields, by Ctrl-K or Cmd-K anywhere. The field is there at once; the
 * rest is loaded when it is needed, and then does what was typed meanwhile, Enter too.
 */
export function setUpPalette(options: PaletteOptions): void {
  const dialog = byId('palette', HTMLDialogElement);
  const query = byId('palette-query', HTMLInputElement);
  const status = byId('palette-status', HTMLElement);
  let loading: Promise<Palette> | undefined;
  let palette: Palette | undefined;
  let isEntered = false;

  const load = () => {
    loading ??= import('./palette.ts').then(({ createPalette }) => createPalette(options));
    return loading;
  };

  async function open(): Promise<void> {
    if (dialog.open) return query.select();
    if (document.querySelector('dialog[open]')) return; // the settings
    query.value = '';
    isEntered = false;
    dialog.showModal();
    query.focus();
    await begin();
  }

  async function begin(): Promise<void> {
    if (!loading && isOffline()) {
      status.textContent = OFFLINE;
      return;
    }
    try {
      palette = await load();
    } catch {
      status.textContent = NOT_LOADED;
      return;
    }
    if (!dialog.open) return;
    palette.begin();
    if (isEntered) palette.choose();
  }

  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.altKey) return;
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k';
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !isField(event.target);
    if (!isShortcut && !isSlash) return;
    event.preventDefault();
    void open();
  });
  // With the first key or click on the page, so that it is there without a network too.
  const prepare = () => {
    if (!isOffline()) void load().catch(() => undefined);
  };
  for (const name of ['keydown', 'pointerdown']) {
    document.addEventListener(name, prepare, { once: true });
  }
  window.addEventListener('online', () => {
    if (dialog.open && !palette) void begin();
  });
  byId('open-palette', HTMLButtonElement).addEventListener('click', () => void open());
  byId('close-palette', HTMLButtonElement).addEventListener('click', () => dialog.close());
  byId('palette-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    if (palette) palette.choose();
    else isEntered = true;
  });
  // A click beside it, which counts as one on the dialog itself.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
}
