import { objectNames } from '../../../../shared/marketdata/store/names.ts';
import { StoreError } from '../../../../shared/marketdata/store/store-error.ts';
import { again } from '../../../../shared/platform/objects.ts';
import type { HistoryStore } from '../history-store.ts';

type NoteStore = Pick<HistoryStore, 'note' | 'putNote'>;

const VERSION = 1;

/** The coins whose past a source of token prices was asked for, of all runs. */
export class PastNote {
  readonly #store: NoteStore;
  readonly #known: Set<string>;
  readonly #added = new Set<string>();

  private constructor(store: NoteStore, known: Set<string>) {
    [this.#store, this.#known] = [store, known];
  }

  /** A note that cannot be opened begins anew: what is stored is found in the store. */
  static async read(store: NoteStore): Promise<PastNote> {
    return new PastNote(store, (await store.note(objectNames.tokenHistory, idsIn)).content ?? new Set());
  }

  has(id: string): boolean {
    return this.#known.has(id) || this.#added.has(id);
  }

  add(id: string): void {
    this.#added.add(id);
  }

  /** Writes them down beside what other runs have written meanwhile. Throws what the store throws. */
  async save(): Promise<void> {
    if (this.#added.size === 0) return;
    await again(async () => {
      const note = await this.#store.note(objectNames.tokenHistory, idsIn);
      const coins = [...new Set([...(note.content ?? []), ...this.#added])];
      await this.#store.putNote(objectNames.tokenHistory, { version: VERSION, coins }, note.etag);
    });
  }
}

function idsIn(content: unknown): Set<string> {
  const { version, coins } = (content ?? {}) as { readonly version?: unknown; readonly coins?: unknown }; // checked below
  if (version !== VERSION || !Array.isArray(coins)) throw new StoreError(`Version ${version} of the note`);
  return new Set(coins.filter((id) => typeof id === 'string'));
}
