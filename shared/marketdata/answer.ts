/** The one policy of which answer a request gets: fresh, stale, from the snapshot, from the provider, or an error. */
import { isOutage } from '../http/errors.ts';
import { count, recordAge } from '../platform/metrics.ts';
import { lifetimes, STARTED_WAIT_MS } from './lifetimes.ts';
import type { Labels, Received } from './provider.ts';
import type { Errand, Kept, KeptRequest, ProviderClient } from './provider-client.ts';
import { answersUntil, type Snapshot } from './store/snapshot.ts';
import { isOldTicker, type Ticker } from './ticker.ts';

export interface Answer<T> extends Received<T> {
  /** Milliseconds since the epoch. */
  readonly freshUntil: number;
  /** True if the provider did not give a newer one in time. */
  readonly stale: boolean;
}

export interface Patience extends Errand {
  /** Its wait for a newer answer while it has a stale one. */
  readonly staleWaitMs: number;
}

/** What another source says of a coin. */
export interface Elsewhere extends Kept<Ticker> {
  /** Until then nobody is asked for a newer one; milliseconds since the epoch. */
  readonly answersUntil: number;
}

/** An answer as it is kept. */
type KeptAnswer<T> = Answer<T> & Kept<T>;

type TickerPatience = Patience & {
  readonly freshMs: number;
  readonly snapshot?: Snapshot | undefined;
  /** As the coin registry has it. */
  readonly isActive?: boolean | undefined;
  /** The same, of what the coin is called. */
  readonly labels?: (() => Labels | undefined) | undefined;
  /** Looks for what another source says of a coin that the snapshot does not have. Never throws. */
  readonly elsewhere?: (() => Promise<Elsewhere | undefined>) | undefined;
};

/** The current ticker of a coin; stale if it was old when it was fetched. Throws as `currentAnswer`. */
export async function currentTicker(
  client: ProviderClient<'ticker'>,
  id: string,
  patience: TickerPatience,
): Promise<Answer<Ticker>> {
  const answer = await knownTicker(client, id, patience);
  return { ...answer, stale: answer.stale || isOldTicker(answer.data, answer.storedAt) };
}

/** The snapshot comes first, because it costs no request. */
async function knownTicker(
  client: ProviderClient<'ticker'>,
  id: string,
  { freshMs, snapshot, isActive, labels, elsewhere, ...patience }: TickerPatience,
): Promise<KeptAnswer<Ticker>> {
  const published = snapshot?.ticker(id);
  if (snapshot && published) {
    recordAge('SnapshotAge', snapshot.takenAt);
    const isCarried = published.storedAt < snapshot.takenAt;
    if (!isCarried && Date.now() < answersUntil(snapshot)) return fresh(published);
    if (!isCarried) count('SnapshotOutdated');
  }
  const instead = published ? undefined : await elsewhere?.();
  if (instead && Date.now() < instead.answersUntil) return fresh(instead);
  const isInactive = isActive === false;
  const request: KeptRequest<Ticker> = {
    ...client.provider.ticker(id),
    freshUntil: (askedAt) => askedAt + (isInactive ? lifetimes.inactiveMs : freshMs),
    staleForMs: lifetimes.ticker.staleForMs,
    published,
    instead,
    isActive,
    labels: labels?.(),
  };
  // What is kept of it for so long is not what a coin is asked about that is traded again.
  return currentAnswer(client, `${isInactive ? 'inactive' : 'ticker'}/${id}`, request, patience);
}

/**
 * The answer for a key, kept here or loaded. If that fails or takes too long, the newest stale answer at hand stands
 * in, marked. Throws as `ProviderClient.fetch` does if there is none, and in any case if the failure is no outage.
 */
export async function currentAnswer<T>(
  client: ProviderClient,
  key: string,
  request: KeptRequest<T>,
  { deadline, client: onBehalfOf, staleWaitMs }: Patience,
): Promise<KeptAnswer<T>> {
  const kept = client.cache.kept<T>(key);
  if (kept && (request.isEnough ? await request.isEnough(kept) : isFresh(kept))) {
    count('CacheHits');
    return fresh(kept);
  }
  // Looked for when it is needed: loading may bring to light what another instance has, past its lifetime.
  const standIn = () => newest(client.cache.kept<T>(key), request.published, request.instead);
  const failure = client.cache.failure(key);
  if (failure) {
    count('CacheHits');
    return insteadOf(failure, standIn());
  }
  const loading = client.load(key, request, { deadline, client: onBehalfOf });
  let old: Kept<T> | undefined;
  try {
    const newer = await loading.wait(staleWaitMs);
    if (newer) return fresh(newer);
    old = standIn();
    if (!old) return fresh(await loading.wait());
    // A request that is paid for is stayed with for longer, to see its answer arrive.
    const late = loading.hasStarted ? await loading.wait(STARTED_WAIT_MS - staleWaitMs) : undefined;
    if (late) return fresh(late);
  } catch (error) {
    return insteadOf(error, standIn());
  }
  return markedStale(old);
}

function insteadOf<T>(error: unknown, old: Kept<T> | undefined): KeptAnswer<T> {
  if (!isOutage(error) || !old) throw error;
  return markedStale(old);
}

function fresh<T>(answer: Kept<T>): KeptAnswer<T> {
  return { ...answer, stale: false };
}

function markedStale<T>(answer: Kept<T>): KeptAnswer<T> {
  count('CacheStale');
  return { ...answer, stale: true };
}

export function isFresh({ storedAt, freshUntil }: Kept<unknown>): boolean {
  const now = Date.now();
  return now >= storedAt && now < freshUntil; // before it was stored: the clock was set back
}

/** The one that the provider made last, of those that may still stand in. */
export function newest<T>(...answers: (Kept<T> | undefined)[]): Kept<T> | undefined {
  return answers
    .filter((answer) => answer !== undefined && Date.now() < answer.staleUntil)
    .reduce((a, b) => (a && b && a.madeAt > b.madeAt ? a : b), undefined);
}
