import { byId } from './dom.ts';
import { stored } from './stored.ts';

export interface Settings {
  /** The API key; undefined if none was entered. */
  readonly key: () => string | undefined;
  open(): void;
}

/** The dialog with the API key, which is kept in this tab alone. `onChange` is called after each save. */
export function setUpSettings(onChange: () => void): Settings {
  // Session storage ends with the tab, so the next user of a shared computer does not find the key.
  const key = stored(
    () => sessionStorage,
    'marketdata.apiKey',
    (value) => (typeof value === 'string' ? value : ''),
  );
  const dialog = byId('settings', HTMLDialogElement);
  const field = byId('api-key', HTMLInputElement);

  function save(value: string): void {
    key.write(value.trim());
    dialog.close();
    onChange();
  }

  byId('settings-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    save(field.value);
  });
  byId('forget-key', HTMLButtonElement).addEventListener('click', () => save(''));
  byId('close-settings', HTMLButtonElement).addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => {
    field.value = ''; // not left in the document
  });

  function open(): void {
    field.value = key.read();
    dialog.showModal();
    field.select();
  }
  byId('open-settings', HTMLButtonElement).addEventListener('click', open);

  return { key: () => key.read() || undefined, open };
}
