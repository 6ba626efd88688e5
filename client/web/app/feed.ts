import { batch, signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { explain } from '../../commands/failure.ts';
import { nextFetchAt } from '../../commands/next-fetch.ts';
import { type Provenance, provenanceOf, together } from '../../commands/provenance.ts';
import type { FailureResult } from '../../commands/result.ts';
import type { DatedAnswer } from '../../sdk/index.ts';
import { api, context, onNewKey } from './session.ts';

export interface Loaded<T> {
  readonly value: T;
  /** The provenance of all its data; undefined if none of it has a source. */
  readonly provenance: Provenance | undefined;
}

/** The newest result of one request, refreshed when it expires: the page's only refresh loop. */
export interface Feed<T> extends Partial<Loaded<T>> {
  /** Why the last attempt failed, in which case `value` is older; undefined if it succeeded. */
  readonly failure?: FailureResult | undefined;
  readonly isBusy: boolean;
  /** Whether `value` belongs to the previous key. */
  readonly isOfBefore: boolean;
  /** Fetches now. */
  readonly refresh: () => void;
}

/** Twenty charts that are out of date on arrival stay within the limit of requests a minute at this interval. */
const SHORTEST_PAUSE_MS = 15_000;
/** How late a response may be before it counts as old. */
const GRACE_MS = 60_000;
/** When the page was last shown: until then nothing was refreshed. */
let shownAt = 0;

/** The feeds of components on the screen. */
const running = signal<readonly Pick<ReturnType<typeof createFeed>, 'state' | 'refresh' | 'plan'>[]>([]);
/** Ticks every half minute, for displayed ages and data that becomes old. */
export const clock = signal(Date.now());
setInterval(() => {
  clock.value = Date.now();
}, 30_000);
onNewKey(() => refreshAll());
window.addEventListener('online', () => refreshAll(true));
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) shownAt = clock.value = Date.now();
  for (const { plan } of running.peek()) plan();
});

/** Refreshes all feeds on the screen. */
export function refreshAll(onlyFailed = false): void {
  for (const { state, refresh } of running.peek()) if (!onlyFailed || state.peek().failure) refresh();
}

/** The failures on the screen, and the provenance of all data shown there. */
export function screenState() {
  const states = running.value.map(({ state }) => state.value);
  return {
    failures: states.flatMap(({ failure }) => failure ?? []),
    provenance: ofAll(states.map(({ provenance }) => provenance)),
  };
}

export function ofAll(all: readonly (Provenance | undefined)[]): Provenance | undefined {
  const known = all.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : together(known);
}

/** Whether prices have expired, by their own quality or by the clock. */
export function isOld(provenance: Provenance | undefined): boolean {
  if (!provenance) return false;
  const { quality, outdatedMs, freshUntil } = provenance;
  return (
    quality === 'stale' || outdatedMs !== undefined || clock.value > Math.max(freshUntil, shownAt) + GRACE_MS
  );
}

/** A response of the service as a feed's value. */
export function loadedOf<T>(answer: DatedAnswer<T>): Loaded<T> {
  return { value: answer.data, provenance: provenanceOf(answer, Date.now()) };
}

type Load<T> = () => Promise<Loaded<T> | FailureResult | undefined>;

/**
 * The feed of a component; with another `key` it loads other data and keeps the last value until then. `load` returns
 * undefined if there is nothing to load; if it throws, the failure says that the subject could not be loaded.
 */
export function useFeed<T>(key: string, subject: string, load: Load<T>): Feed<T> {
  const [feed] = useState(() => createFeed<T>());
  feed.load = load;
  feed.subject = subject;
  // Before the browser paints, so that the request is already on its way.
  useLayoutEffect(feed.start, [feed]);
  useLayoutEffect(() => feed.show(key), [feed, key]);
  const { answered, ...state } = feed.state.value;
  return { ...state, isOfBefore: answered !== key, refresh: feed.refresh };
}

/** Keeps the tickers of these coins fresh while the component is on the screen. */
export function useTickers(ids: readonly string[]) {
  const some = ids.slice(0, 100);
  return useFeed(some.join(), 'Prices', async () => {
    if (some.length === 0) return undefined;
    const value = await context.tickers.fetchAll(api, some);
    return { value, provenance: ofAll(value.map((item) => ('error' in item ? undefined : item.provenance))) };
  });
}

interface State<T> extends Omit<Feed<T>, 'isOfBefore' | 'refresh'> {
  /** The key of `value`. */
  readonly answered?: string;
}

function createFeed<T>() {
  const state = signal<State<T>>({ isBusy: true });
  let key = '';
  let failures = 0;
  let turn = 0;
  let due = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const feed = {
    state,
    subject: '',
    load: undefined as Load<T> | undefined,
    start,
    plan,
    refresh: () => void refresh(),
    show(next: string) {
      key = next;
      state.value = { ...state.peek(), failure: undefined };
      void refresh();
    },
  };
  return feed;

  async function refresh(): Promise<void> {
    clearTimeout(timer);
    turn += 1;
    const own = turn;
    const answered = key;
    state.value = { ...state.peek(), isBusy: true };
    const answer = await attempt();
    if (own !== turn) return; // another key was set meanwhile, or the component is gone
    const now = Date.now();
    const isFailure = answer && 'kind' in answer;
    failures = isFailure ? failures + 1 : 0;
    const outcome = isFailure
      ? { failures, retryAfterSeconds: answer.retryAfterSeconds }
      : { freshUntil: answer?.provenance?.freshUntil ?? Number.POSITIVE_INFINITY };
    due = nextFetchAt(outcome, SHORTEST_PAUSE_MS, now);
    batch(() => {
      state.value = isFailure
        ? { ...state.peek(), failure: answer, isBusy: false }
        : { ...answer, answered, isBusy: false };
      clock.value = now;
    });
    plan();
  }

  async function attempt() {
    try {
      return await feed.load?.();
    } catch (error) {
      return explain(error, `${feed.subject} could not be loaded`, context);
    }
  }

  function plan(): void {
    clearTimeout(timer);
    if (!state.peek().isBusy && !document.hidden)
      timer = setTimeout(feed.refresh, Math.max(0, due - Date.now()));
  }

  function start(): () => void {
    running.value = [...running.peek(), feed];
    return () => {
      turn += 1;
      clearTimeout(timer);
      running.value = running.peek().filter((each) => each !== feed);
    };
  }
}
