/** A value that survives a reload; if the browser refuses storage, it lives as long as the page. */
export interface Stored<T> {
  read(): T;
  write(value: T): void;
}

/** Keeps a value as JSON under a key. `accept` reads the stored value, which may be of an older version or broken. */
export function stored<T>(storage: () => Storage, key: string, accept: (value: unknown) => T): Stored<T> {
  let unsaved: T | undefined;
  return {
    read() {
      if (unsaved !== undefined) return unsaved;
      try {
        return accept(JSON.parse(storage().getItem(key) ?? 'null'));
      } catch {
        return accept(null);
      }
    },
    write(value) {
      try {
        storage().setItem(key, JSON.stringify(value));
        unsaved = undefined;
      } catch {
        unsaved = value; // private windows and full storages
      }
    },
  };
}
