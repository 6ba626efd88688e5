import { objectNames } from '../../../../shared/marketdata/store/names.ts';
import {
  type FetchNote,
  mergedNotes,
  type PastNotes,
  type PastSource,
  pastNote,
  readPastNote,
} from '../../../../shared/marketdata/store/past-note.ts';
import { retryOnConflict } from '../../../../shared/platform/objects.ts';
import type { HistoryStore } from '../history-store.ts';

/** If a run is aborted before it saves, at most this many coins are looked up in the store again. */
const SAVE_EVERY = 25;

type NoteStore = Pick<HistoryStore, 'note' | 'putNote'>;

/**
 * How far each source's history is stored, over all runs. A note that cannot be opened starts anew: what is stored is found in
 * the store.
 */
export class Progress {
  readonly #store: NoteStore;
  readonly #notes: ReturnType<typeof mergedNotes>;
  /** Notes of this run. */
  readonly #added = mergedNotes();
  #unsaved = 0;
  #saving: Promise<void> = Promise.resolve();

  private constructor(store: NoteStore, notes: PastNotes) {
    this.#store = store;
    this.#notes = mergedNotes(notes);
  }

  static async read(store: NoteStore): Promise<Progress> {
    const { content } = await store.note(objectNames.past, readPastNote);
    return new Progress(store, content ?? mergedNotes());
  }

  get notes(): PastNotes {
    return this.#notes;
  }

  /** Saves every few coins. Throws what the store throws. */
  async note(source: PastSource, id: string, through: FetchNote['through'], failed = false): Promise<void> {
    const note = { through, failed, at: Date.now() };
    for (const notes of [this.#notes, this.#added]) notes[source].set(id, note);
    this.#unsaved += 1;
    if (this.#unsaved >= SAVE_EVERY) await this.save();
  }

  /** Notes for several coins what is stored of them; saved with the next note, or at the end. */
  async noteAll(source: PastSource, ids: readonly string[], through: number): Promise<void> {
    const note = { through, failed: false, at: Date.now() };
    for (const notes of [this.#notes, this.#added]) for (const id of ids) notes[source].set(id, note);
    if (ids.length > 0) this.#unsaved += 1;
  }

  /** Saves what is not saved yet, one write after the other, merged with the notes of other runs. */
  save(): Promise<void> {
    this.#saving = this.#saving.catch(() => {}).then(() => this.#save()); // the failure goes to the caller of that save
    return this.#saving;
  }

  async #save(): Promise<void> {
    if (this.#unsaved === 0) return;
    await retryOnConflict(async () => {
      const { content, etag } = await this.#store.note(objectNames.past, readPastNote);
      const all = mergedNotes(...(content ? [content] : []), this.#added);
      const count = this.#unsaved;
      await this.#store.putNote(objectNames.past, pastNote(all), etag);
      this.#unsaved -= count;
    });
  }
}
