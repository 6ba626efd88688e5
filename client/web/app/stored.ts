import { effect, type Signal, signal } from '@preact/signals';

/**
 * A signal that survives a reload as JSON under a key, and follows other tabs. `accept` reads what is stored, which may be
 * of an older version or broken. If the browser refuses storage, the signal lives as long as the page.
 */
export function storedSignal<T>(
  storage: () => Storage,
  key: string,
  accept: (value: unknown) => T,
): Signal<T> {
  const read = (text: string | null): T => {
    try {
      return accept(JSON.parse(text ?? 'null'));
    } catch {
      return accept(null);
    }
  };
  const kept = signal(read(attempt(() => storage().getItem(key)) ?? null));
  let written = JSON.stringify(kept.peek());
  effect(() => {
    const text = JSON.stringify(kept.value);
    if (text === written) return;
    written = text;
    attempt(() => storage().setItem(key, text));
  });
  window.addEventListener('storage', (event) => {
    if (event.key !== key || event.newValue === null || event.newValue === written) return;
    written = event.newValue;
    kept.value = read(event.newValue);
  });
  return kept;
}

/** The browser needs the address until it has begun to save. */
const KEPT_MS = 60_000;

/** Saves a file under a name. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Private windows and full storages throw. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The fields of a stored object; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
