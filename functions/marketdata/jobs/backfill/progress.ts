import {
  backfillNote,
  type FetchNote,
  type FetchNotes,
  mergedCoins,
  readBackfillNote,
} from '../../../../shared/marketdata/store/backfill-note.ts';
import { objectNames } from '../../../../shared/marketdata/store/names.ts';
import { ConditionFailed } from '../../../../shared/platform/objects.ts';
import type { HistoryStore } from '../history-store.ts';

/** So many coins are asked for again at most, if a run is ended before it has written them down. */
const SAVE_EVERY = 25;
const ATTEMPTS = 5;

export type NoteStore = Pick<HistoryStore, 'note' | 'putNote'>;

/** How far the backfill is, of all runs. A note that cannot be opened begins anew: what is stored is found in the store. */
export class Progress {
  readonly #store: NoteStore;
  #coins = new Map<string, FetchNote>();
  #etag: string | undefined;
  /** False after a put, which does not tell the new ETag. */
  #knowsEtag = false;
  #unsaved = 0;
  #saving: Promise<void> = Promise.resolve();

  private constructor(store: NoteStore) {
    this.#store = store;
  }

  static async read(store: NoteStore): Promise<Progress> {
    const progress = new Progress(store);
    await progress.#read();
    return progress;
  }

  get coins(): FetchNotes {
    return this.#coins;
  }

  /** Writes them down every few coins. Throws what the store throws. */
  async note(id: string, asked: FetchNote): Promise<void> {
    this.#coins.set(id, asked);
    this.#unsaved += 1;
    if (this.#unsaved >= SAVE_EVERY) await this.save();
  }

  /** Writes down what is not yet, one write after the other, beside what other runs have written meanwhile. */
  async save(): Promise<void> {
    const before = this.#saving.catch(() => {}); // told to whoever began it
    this.#saving = before.then(() => this.#save());
    await this.#saving;
  }

  async #save(): Promise<void> {
    for (let attempt = 1; this.#unsaved > 0; attempt++) {
      if (!this.#knowsEtag) await this.#read();
      const saved = this.#unsaved;
      this.#knowsEtag = false;
      try {
        await this.#store.putNote(objectNames.backfill, backfillNote(this.#coins), this.#etag);
        this.#unsaved -= saved;
      } catch (error) {
        if (!(error instanceof ConditionFailed) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #read(): Promise<void> {
    const { content = new Map(), etag } = await this.#store.note(objectNames.backfill, readBackfillNote);
    this.#coins = mergedCoins(this.#coins, content);
    this.#etag = etag;
    this.#knowsEtag = true;
  }
}
