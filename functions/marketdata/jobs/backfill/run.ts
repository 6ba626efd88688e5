import type { ApiError } from '../../../../shared/http/errors.ts';
import type { FetchNote } from '../../../../shared/marketdata/store/backfill-note.ts';
import type { CoveredSeries } from '../../../../shared/marketdata/store/candle-rows.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { closedUntil, type FetchLatest, orApiError } from './latest.ts';
import type { NoteStore, Progress } from './progress.ts';

export interface BackfillOptions {
  readonly store: Pick<HistoryStore, 'daily' | 'addToCoin'> & NoteStore;
  readonly fetchLatest: FetchLatest;
  /** The coins whose past is to be had, by rank. */
  readonly coins: readonly string[];
  /** Whether samples are taken of a coin. */
  readonly isSampled: (id: string) => boolean;
  /** Whether another source, which costs nothing, is asked for a coin's past. */
  readonly isServed: (id: string) => boolean;
  /** When the last request has to be over; milliseconds since the epoch. */
  readonly deadline: number;
  readonly now?: () => number;
}

export interface Done {
  /** Requests whose answers were stored. */
  stored: number;
  /** Coins of which there is no past. */
  nothing: number;
  /** Coins that turned out to be stored, although nobody had noted that. */
  found: number;
  failed: number;
  /** Why it ended before all was asked for, if it did. */
  stopped?: string;
}

/** Volumes of the past are looked for that far back; one request brings some days more. */
const VOLUMES_BACK_MS = 360 * DAY_MS;
const FAILURES_IN_A_ROW = 3;
/** For one more request with its retry, and for writing down what came of it. */
const LEAST_TIME_MS = 20_000;

/** What the workers of one run have in common: the tasks, of which each takes the next one, and when to stop. */
export class Run {
  readonly done: Done = { stored: 0, nothing: 0, found: 0, failed: 0 };
  readonly #options: BackfillOptions;
  readonly #progress: Progress;
  readonly #tasks: Iterator<string>;
  readonly #now: () => number;
  #failuresInARow = 0;

  constructor(options: BackfillOptions, progress: Progress, tasks: readonly string[]) {
    [this.#options, this.#progress, this.#tasks] = [options, progress, tasks.values()];
    this.#now = options.now ?? Date.now;
  }

  /** Throws what the store throws, and then the others stop as well. */
  async work(): Promise<void> {
    while (this.#mayGoOn()) {
      const { value: id, done } = this.#tasks.next();
      if (done) return;
      try {
        await this.#fill(id);
      } catch (error) {
        this.done.stopped ??= 'the store failed';
        throw error;
      }
    }
  }

  #mayGoOn(): boolean {
    if (this.#now() > this.#options.deadline - LEAST_TIME_MS) this.done.stopped ??= 'the time is over';
    return this.done.stopped === undefined;
  }

  async #fill(id: string): Promise<void> {
    if (await this.#isStored(id)) return;
    const latest = await this.#options.fetchLatest(id, '24h', this.#now() + LEAST_TIME_MS).catch(orApiError);
    if (latest instanceof Error) return this.#refused(id, latest);
    this.#failuresInARow = 0;
    if (latest.candles.length === 0) return this.#nothing(id);
    await this.#options.store.addToCoin(id, { '24h': latest });
    await this.#note(id, { through: latest.asked.to });
    this.done.stored += 1;
  }

  /** A run that was ended, or a note that was lost, does not cost its requests a second time. */
  async #isStored(id: string): Promise<boolean> {
    if ((this.#progress.coins.get(id)?.through ?? 'never') !== 'never') return false;
    const series = await this.#options.store.daily(id);
    const asked = series?.asked;
    if (asked === undefined) return false;
    const until = closedUntil(this.#now(), DAY_MS);
    if (this.#options.isServed(id) && lacksVolumes(series, until)) return false;
    await this.#note(id, { through: asked.to });
    this.done.found += 1;
    return true;
  }

  async #refused(id: string, error: ApiError): Promise<void> {
    if (error.statusCode === 429) {
      this.done.stopped ??= error.message;
      return;
    }
    if (error.statusCode === 404) {
      this.#failuresInARow = 0;
      return this.#nothing(id);
    }
    this.done.failed += 1;
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= FAILURES_IN_A_ROW) this.done.stopped ??= error.message;
    const through = this.#progress.coins.get(id)?.through ?? 'never';
    await this.#note(id, { through, failed: true });
  }

  /** Not told to the store, because somebody who asks for just this coin may be answered otherwise tomorrow. */
  async #nothing(id: string): Promise<void> {
    this.done.nothing += 1;
    const before = this.#progress.coins.get(id)?.through;
    // What is stored stays, whatever a provider says of its latest part.
    await this.#note(id, { through: typeof before === 'number' ? before : 'nothing' });
  }

  async #note(
    id: string,
    { through, failed = false }: Partial<FetchNote> & Pick<FetchNote, 'through'>,
  ): Promise<void> {
    await this.#progress.note(id, { through, failed, at: this.#now() });
  }
}

/** Whether the provider was not asked for the year before a day: exchanges know no volumes. */
function lacksVolumes(series: CoveredSeries | undefined, until: number): boolean {
  const first = series?.candles.find(({ opensAt }) => opensAt >= until - VOLUMES_BACK_MS);
  return first === undefined || first.volume === null;
}
