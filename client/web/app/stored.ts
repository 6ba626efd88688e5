import { effect, type Signal, signal } from '@preact/signals';

/**
 * A signal that survives a reload as JSON in the browser's storage, and follows other tabs. `accept` validates stored
 * data, which may be broken or from an older version. If the browser refuses storage, the signal lives as long as the
 * page.
 */
export function storedSignal<T>(
  name: string,
  accept: (value: unknown) => T,
  storage: 'localStorage' | 'sessionStorage' = 'localStorage',
): Signal<T> {
  const key = `marketdata.${name}`;
  const read = (text: string | null | undefined) => accept(attempt(() => JSON.parse(text ?? 'null')));
  const kept = signal(read(attempt(() => window[storage].getItem(key))));
  let written = JSON.stringify(kept.peek());
  effect(() => {
    const text = JSON.stringify(kept.value);
    if (text !== written) attempt(() => window[storage].setItem(key, text));
    written = text;
  });
  window.addEventListener('storage', ({ key: changed, newValue }) => {
    if (changed !== key || newValue === null || newValue === written) return;
    written = newValue;
    kept.value = read(newValue);
  });
  return kept;
}

/** Private windows and full storages throw, and so does invalid JSON. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A coin with its names, so that it can be shown before the service responds. */
export interface NamedCoin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** 0 or undefined if it has no known rank. */
  readonly rank?: number | undefined;
}

/** A stored list of coins; `more` reads the other fields, and undefined leaves the coin out. */
export function coinsIn<More extends object>(
  value: unknown,
  more: (fields: Readonly<Record<string, unknown>>) => More | undefined,
): readonly (NamedCoin & More)[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each) => {
    const { id, name, symbol, ...fields } = { ...each };
    const rest = more(fields);
    if (!isText(id) || !rest) return [];
    return [{ id, name: isText(name) ? name : id, symbol: isText(symbol) ? symbol : '', ...rest }];
  });
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The browser needs the address until the download has started. */
const KEPT_MS = 60_000;

/** Saves a file with a name. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
