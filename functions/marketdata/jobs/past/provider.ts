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
  /** The coins whose past is to be had, by rank. */
  readonly coins: readonly string[];
  /** Whether samples are taken of a coin: then only its past is missing, and that once. */
  readonly isSampled: (id: string) => boolean;
  /** Whether another source, which costs nothing, is asked for its past: then only volumes are missing. */
  readonly isServed: (id: string) => boolean;
  /** When the last request has to be over; milliseconds since the epoch. */
  readonly deadline: number;
}

export interface FromProvider {
  /** Requests whose answers were stored. */
  stored: number;
  /** Coins of which there is no past. */
  nothing: number;
  /** Coins that turned out to be stored, although nobody had noted that. */
  found: number;
  failed: number;
  /** Why it ended before all was fetched, if it did. */
  stopped?: string;
}

/** The provider paces its requests, so that more at a time would only wait for each other. */
const LANE = { atATime: 2, answerMs: 20_000, isPaid: true } as const;
/** Volumes of the past are looked for that far back; one request brings some days more. */
const VOLUMES_BACK_MS = 360 * DAY_MS;

/**
 * Stores the days of one coin after the other, a request each, until none is left, no budget or no time, or the provider
 * fails. Throws what the store throws.
 */
export async function storeFromProvider(options: Options): Promise<FromProvider> {
  const { store, progress, fetchLatest, coins, isSampled, isServed, deadline } = options;
  const lane = new Lane(LANE);
  const done: FromProvider = { stored: 0, nothing: 0, found: 0, failed: 0 };
  const throughOf = (id: string) => progress.notes.provider.get(id)?.through ?? 'never';

  /** A run that was ended, or a note that was lost, does not cost its requests a second time. */
  async function isStored(id: string): Promise<boolean> {
    if (throughOf(id) !== 'never') return false;
    const series = await store.daily(id);
    const asked = series?.asked;
    if (asked === undefined) return false;
    if (isServed(id) && lacksVolumes(series, closedUntil(Date.now()))) return false;
    await progress.note('provider', id, asked.to);
    done.found += 1;
    return true;
  }

  /** Not told to the store, because somebody who requests just this coin may be answered otherwise tomorrow. */
  async function noteNothing(id: string): Promise<void> {
    done.nothing += 1;
    const before = throughOf(id);
    // What is stored stays, whatever a provider says of its latest part.
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
    ...{ asked: progress.notes.provider, coins, isSampled, isServed },
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
    await progress.note('provider', id, latest.asked.to);
    done.stored += 1;
  });
  return stopped === undefined ? done : { ...done, stopped };
}

/** Whether the provider was not asked for the year before a day: exchanges know no volumes. */
function lacksVolumes(series: CoveredSeries | undefined, until: number): boolean {
  const first = series?.candles.find(({ opensAt }) => opensAt >= until - VOLUMES_BACK_MS);
  return first === undefined || first.volume === null;
}

interface Queued extends Pick<Options, 'coins' | 'isSampled' | 'isServed'> {
  readonly asked: FetchNotes;
  /** The end of the last day that is closed for good; milliseconds since the epoch. */
  readonly closedUntil: number;
  readonly now: number;
}

/** A coin without a past may get one; one whose request failed keeps no others waiting meanwhile. */
const ASK_AGAIN_MS = { nothing: 30 * DAY_MS, failed: 6 * HOUR_MS } as const;

/**
 * The coins whose days are to be asked for, the first most urgently: the past of sampled coins by rank, and of the others;
 * the gaps of those, the oldest first; and the past of coins that another source serves.
 */
export function queueOf({ asked, coins, isSampled, isServed, closedUntil, now }: Queued): readonly string[] {
  // Also if that failed, so that it is asked for again as if for the first time.
  const isNew = (id: string) => (asked.get(id)?.through ?? 'never') === 'never';
  const isComplete = (id: string) => {
    const through = asked.get(id)?.through;
    return typeof through === 'number' && through >= closedUntil;
  };
  const isResting = (id: string) => {
    const last = asked.get(id);
    if (last?.failed) return now - last.at < ASK_AGAIN_MS.failed;
    return last?.through === 'nothing' && now - last.at < ASK_AGAIN_MS.nothing;
  };
  const unseen = coins.filter(isNew);
  const [served, unasked] = [unseen.filter(isServed), unseen.filter((id) => !isServed(id))];
  const gaps = coins
    .filter((id) => !isNew(id) && !isSampled(id) && !isComplete(id))
    .toSorted((a, b) => (asked.get(a)?.at ?? 0) - (asked.get(b)?.at ?? 0));
  const all = [...unasked.filter(isSampled), ...unasked.filter((id) => !isSampled(id)), ...gaps, ...served];
  return all.filter((id) => !isResting(id));
}
