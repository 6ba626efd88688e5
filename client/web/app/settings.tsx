import { createRef } from 'preact';
import { Button } from './button.tsx';
import { apiKey } from './session.ts';

const dialog = createRef<HTMLDialogElement>();
const field = createRef<HTMLInputElement>();

export function openSettings(): void {
  if (field.current) field.current.value = apiKey.peek();
  if (dialog.current) dialog.current.returnValue = ''; // Escape changes nothing
  dialog.current?.showModal();
  field.current?.select();
}

/** A dialog for the service's key. The button that closes it decides what happens to the key. */
export function Settings() {
  return (
    <dialog
      ref={dialog}
      aria-labelledby="settings-title"
      onClose={({ currentTarget: { returnValue } }) => {
        const key = field.current?.value.trim() ?? '';
        if (field.current) field.current.value = ''; // do not leave it in the document
        if (returnValue !== '') apiKey.value = returnValue === 'save' ? key : '';
      }}
    >
      <form method="dialog">
        <h2 id="settings-title">Settings</h2>
        <label for="api-key">API key of the service</label>
        <input ref={field} id="api-key" type="password" autocomplete="off" aria-describedby="api-key-note" />
        <p id="api-key-note">
          Only a service in production needs one. This tab keeps it until you close it, and sends it to this
          page's own address only.
        </p>
        <p class="actions">
          <Button label="Forget" onClick={() => dialog.current?.close('forget')} />
          <Button label="Cancel" onClick={() => dialog.current?.close()} />
          <button type="submit" value="save" class="primary">
            Save
          </button>
        </p>
      </form>
    </dialog>
  );
}
