import { ApiError } from '../../../../shared/http/errors.ts';
import type { CoveredSeries } from '../../../../shared/marketdata/store/candle-rows.ts';
import type { FetchNotes } from '../../../../shared/marketdata/store/past-note.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { Lane } from '../lane.ts';
import { closedUntil, type FetchLatest } from './latest.ts';
import type { Progress } from './progress.ts';

interface Options {
  readonly store: Pick<HistoryStore, 'daily' | 'addToCoin'>;
  readonly progress: Progress;
  readonly fetchLatest: FetchLatest;
  /** The coins to store, by rank. */
  readonly coins: readonly string[];
  /** Whether a coin is sampled: then its history has to be fetched only once. */
  readonly isSampled: (id: string) => boolean;
  /** Whether a free source serves its history: then only volumes are missing. */
  readonly isServed: (id: string) => boolean;
  /** The end of the last request. Milliseconds since the epoch. */
  readonly deadline: number;
}

export interface FromProvider {
  /** Requests with stored responses. */
  stored: number;
  /** Coins without history. */
  nothing: number;
  /** Coins that were already stored without a note. */
  found: number;
  failed: number;
  /** Why it ended early, if it did. */
  stopped?: string;
}

/** The provider paces its requests, so more at a time would only wait for each other. */
const LANE = { atATime: 2, answerMs: 20_000, isPaid: true } as const;
/** Volumes are fetched this far back; one request returns some more days. */
const VOLUMES_BACK_MS = 360 * DAY_MS;

/**
 * Stores one coin's days after the other, with a request each, until none is left, the budget or the time is used up, or the
 * provider fails. Throws what the store throws.
 */
export async function storeFromProvider(options: Options): Promise<FromProvider> {
  const { store, progress, fetchLatest, coins, isSampled, isServed, deadline } = options;
  const lane = new Lane(LANE);
  const done: FromProvider = { stored: 0, nothing: 0, found: 0, failed: 0 };
  const throughOf = (id: string) => progress.notes.provider.get(id)?.through ?? 'never';

  /** True if the days are stored, so that an aborted run or a lost note does not cost its requests a second time. */
  async function isStored(id: string): Promise<boolean> {
    if (throughOf(id) !== 'never') return false;
    const series = await store.daily(id);
    // What cannot be read waits to be restored, and is not paid for again.
    if (series.isDamaged) return true;
    const { coverage } = series;
    if (coverage === undefined) return false;
    if (isServed(id) && lacksVolumes(series, closedUntil(Date.now()))) return false;
    await progress.note('provider', id, coverage.to);
    done.found += 1;
    return true;
  }

  /** Notes that there is nothing; this is no refusal, because a request for this coin may succeed tomorrow. */
  async function noteNothing(id: string): Promise<void> {
    done.nothing += 1;
    const before = throughOf(id);
    // Stored days stay, whatever the provider returns for the latest ones.
    await progress.note('provider', id, before === 'never' ? 'nothing' : before);
  }

  async function noteRefusal(id: string, error: unknown): Promise<never> {
    if (!(error instanceof ApiError) || error.statusCode === 429) throw error;
    if (error.statusCode === 404) await noteNothing(id);
    else {
      done.failed += 1;
      await progress.note('provider', id, throughOf(id), true);
    }
    throw error;
  }

  const queue = queueOf({
    ...{ notes: progress.notes.provider, coins, isSampled, isServed },
    closedUntil: closedUntil(Date.now()),
    now: Date.now(),
  });
  const stopped = await lane.each(queue, deadline, async (id) => {
    if (await isStored(id)) return;
    const latest = await lane.fetch(
      (until) => fetchLatest(id, until).catch((error: unknown) => noteRefusal(id, error)),
      deadline,
    );
    if (latest.candles.length === 0) return noteNothing(id);
    await store.addToCoin(id, { '24h': latest });
    await progress.note('provider', id, latest.coverage.to);
    done.stored += 1;
  });
  return stopped === undefined ? done : { ...done, stopped };
}

/** Whether the provider's candles do not cover the year before a day: exchanges know no volumes. */
function lacksVolumes(series: Pick<CoveredSeries, 'candles'>, until: number): boolean {
  const first = series.candles.find(({ opensAt }) => opensAt >= until - VOLUMES_BACK_MS);
  return first === undefined || first.volume === null;
}

interface Queued extends Pick<Options, 'coins' | 'isSampled' | 'isServed'> {
  readonly notes: FetchNotes;
  /** The end of the last day that is settled. Milliseconds since the epoch. */
  readonly closedUntil: number;
  readonly now: number;
}

/** A coin without history may get one; a failed request does not hold up other coins meanwhile. */
const FETCH_AGAIN_MS = { nothing: 30 * DAY_MS, failed: 6 * HOUR_MS } as const;

/**
 * The coins whose days are to be fetched, the most urgent first: sampled coins without history by rank, then the others without
 * one, then coins with gaps, the oldest first, and finally coins that another source serves.
 */
export function queueOf({ notes, coins, isSampled, isServed, closedUntil, now }: Queued): readonly string[] {
  // A coin stays new if its request failed, which is then repeated as if for the first time.
  const isNew = (id: string) => (notes.get(id)?.through ?? 'never') === 'never';
  const isComplete = (id: string) => {
    const through = notes.get(id)?.through;
    return typeof through === 'number' && through >= closedUntil;
  };
  const isResting = (id: string) => {
    const last = notes.get(id);
    if (last?.failed) return now - last.at < FETCH_AGAIN_MS.failed;
    return last?.through === 'nothing' && now - last.at < FETCH_AGAIN_MS.nothing;
  };
  const unseen = coins.filter(isNew);
  const served = unseen.filter(isServed);
  const unserved = unseen.filter((id) => !isServed(id));
  const gaps = coins
    .filter((id) => !isNew(id) && !isSampled(id) && !isComplete(id))
    .toSorted((a, b) => (notes.get(a)?.at ?? 0) - (notes.get(b)?.at ?? 0));
  const all = [...unserved.filter(isSampled), ...unserved.filter((id) => !isSampled(id)), ...gaps, ...served];
  return all.filter((id) => !isResting(id));
}
