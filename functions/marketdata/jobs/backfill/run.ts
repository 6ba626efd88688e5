import { ApiError } from '../../../../shared/http/errors.ts';
import type { Wishes } from '../../../../shared/marketdata/provider-client.ts';
import type { Asked } from '../../../../shared/marketdata/store/backfill-note.ts';
import type { AskedSeries } from '../../../../shared/marketdata/store/candle-rows.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { type AskLatest, closedUntil } from './latest.ts';
import type { NoteStore, Progress } from './progress.ts';
import type { Task } from './queue.ts';

export interface BackfillOptions {
  readonly store: Pick<HistoryStore, 'daily' | 'addToCoin'> & NoteStore;
  readonly ask: AskLatest;
  readonly wishes: Wishes | undefined;
  /** The coins whose past is to be had, whoever wishes for it or not, by rank. */
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
  readonly #tasks: Iterator<Task>;
  readonly #now: () => number;
  #failuresInARow = 0;

  constructor(options: BackfillOptions, progress: Progress, tasks: readonly Task[]) {
    [this.#options, this.#progress, this.#tasks] = [options, progress, tasks.values()];
    this.#now = options.now ?? Date.now;
  }

  /** Throws what the store throws, and then the others stop as well. */
  async work(): Promise<void> {
    while (this.#mayGoOn()) {
      const { value: task, done } = this.#tasks.next();
      if (done) return;
      try {
        await this.#fulfil(task);
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

  async #fulfil(task: Task): Promise<void> {
    if (await this.#isStored(task)) return;
    const { id, base } = task;
    const latest = await this.#options.ask(id, base, this.#now() + LEAST_TIME_MS).catch((error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    });
    if (latest instanceof ApiError) return this.#refused(task, latest);
    this.#failuresInARow = 0;
    if (latest.candles.length === 0) return this.#nothing(task);
    await this.#options.store.addToCoin(id, { [base]: latest });
    if (base === '24h') await this.#note(id, { through: latest.asked.to });
    this.done.stored += 1;
    await this.#options.wishes?.clear(task);
  }

  /** A run that was ended, or a note that was lost, does not cost its requests a second time. */
  async #isStored({ id, base, isWished }: Task): Promise<boolean> {
    if (base !== '24h' || (this.#progress.coins.get(id)?.through ?? 'never') !== 'never') return false;
    const series = await this.#options.store.daily(id);
    const asked = series?.asked;
    const until = closedUntil(this.#now(), DAY_MS);
    const isGap = asked === undefined || asked.to < until;
    if (asked === undefined || (isWished && isGap)) return false;
    if (this.#options.isServed(id) && lacksVolumes(series, until)) {
      // A chart wants no more than a year of what exchanges told; volumes are asked for when nobody misses anything.
      const isEnough = isWished && asked.from <= until - VOLUMES_BACK_MS;
      if (isEnough) await this.#options.wishes?.clear({ id, base });
      return isEnough;
    }
    await this.#note(id, { through: asked.to });
    this.done.found += 1;
    if (isWished) await this.#options.wishes?.clear({ id, base });
    return true;
  }

  async #refused(task: Task, error: ApiError): Promise<void> {
    if (error.statusCode === 429) {
      this.done.stopped ??= error.message;
      return;
    }
    if (error.statusCode === 404) {
      this.#failuresInARow = 0;
      return this.#nothing(task);
    }
    this.done.failed += 1;
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= FAILURES_IN_A_ROW) this.done.stopped ??= error.message;
    const through = this.#progress.coins.get(task.id)?.through ?? 'never';
    await this.#note(task.id, { through, failed: true });
  }

  /** Not told to the store, because somebody who asks for just this coin may be answered otherwise tomorrow. */
  async #nothing({ id, base }: Task): Promise<void> {
    this.done.nothing += 1;
    const before = this.#progress.coins.get(id)?.through;
    // What is stored stays, whatever a provider says of its latest part.
    await this.#note(id, { through: typeof before === 'number' ? before : 'nothing' });
    await this.#options.wishes?.clear({ id, base });
  }

  async #note(
    id: string,
    { through, failed = false }: Partial<Asked> & Pick<Asked, 'through'>,
  ): Promise<void> {
    await this.#progress.note(id, { through, failed, at: this.#now() });
  }
}

/** Whether the provider was not asked for the year before a day: exchanges know no volumes. */
function lacksVolumes(series: AskedSeries | undefined, until: number): boolean {
  const first = series?.candles.find(({ opensAt }) => opensAt >= until - VOLUMES_BACK_MS);
  return first === undefined || first.volume === null;
}
