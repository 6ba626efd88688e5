import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Provenance, together } from '../../commands/provenance.ts';
import type { FailureResult } from '../../commands/result.ts';

export interface Loaded<T> {
  readonly value: T;
  /** Of all of it; undefined if there is nothing in it that has a source. */
  readonly provenance: Provenance | undefined;
}

/** The newest answer to one question, asked again when its lifetime has ended: the page's only refresh loop. */
export interface Feed<T> {
  /** The last answer; it stays when a later attempt fails. */
  readonly loaded: ReadonlySignal<Loaded<T> | undefined>;
  /** Why the last attempt failed; undefined if it did not. */
  readonly failure: ReadonlySignal<FailureResult | undefined>;
  readonly isBusy: ReadonlySignal<boolean>;
  /** Asks now. */
  refresh(): Promise<void>;
}

interface RunningFeed<T> extends Feed<T> {
  load: () => Promise<Loaded<T> | FailureResult>;
  start(): void;
  stop(): void;
}

/** Also of answers that are out of date when they arrive. */
const SHORTEST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** For as long an answer may be late before it counts as old. */
const GRACE_MS = 60_000;

/** The feeds of what is on the screen. */
const running = signal<readonly Feed<unknown>[]>([]);
/** Counts half minutes, for ages and for what gets old by itself. */
export const clock = signal(Date.now());
setInterval(() => {
  clock.value = Date.now();
}, 30_000);

/** Asks everything again that is on the screen. */
export function refreshAll(onlyFailed = false): void {
  for (const feed of running.peek()) if (!onlyFailed || feed.failure.peek()) void feed.refresh();
}

/** What failed on the screen, and the provenance of all that is shown there. */
export function screenState(): {
  readonly failures: readonly FailureResult[];
  readonly provenance: Provenance | undefined;
} {
  const failures = running.value.flatMap(({ failure }) => failure.value ?? []);
  const all = running.value.flatMap(({ loaded }) => loaded.value?.provenance ?? []);
  return { failures, provenance: all.length === 0 ? undefined : together(all) };
}

/** Whether prices are past their lifetime, as far as they or the clock say so. */
export function isOld({ quality, outdatedMs, freshUntil }: Provenance): boolean {
  return quality === 'stale' || outdatedMs !== undefined || clock.value > freshUntil + GRACE_MS;
}

/** The feed of a component; with another `key` it asks something else and keeps the last answer until then. */
export function useFeed<T>(key: string, load: RunningFeed<T>['load']): Feed<T> {
  const kept = useRef<RunningFeed<T>>(undefined);
  kept.current ??= createFeed(load);
  const feed = kept.current;
  feed.load = load;
  const lastKey = useRef(key);
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  useEffect(() => {
    if (lastKey.current === key) return;
    lastKey.current = key;
    void feed.refresh();
  }, [feed, key]);
  return feed;
}

function createFeed<T>(first: RunningFeed<T>['load']): RunningFeed<T> {
  const loaded: Signal<Loaded<T> | undefined> = signal();
  const failure: Signal<FailureResult | undefined> = signal();
  const isBusy = signal(false);
  let isRunning = false;
  let failures = 0;
  let turn = 0;
  let due = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function plan(): void {
    clearTimeout(timer);
    if (!isRunning || isBusy.peek() || document.hidden) return;
    timer = setTimeout(() => void feed.refresh(), Math.min(2 ** 31 - 1, Math.max(0, due - Date.now())));
  }

  function retryWhenOnline(): void {
    if (!failure.peek()) return;
    due = 0;
    plan();
  }

  const feed: RunningFeed<T> = {
    load: first,
    loaded,
    failure,
    isBusy,
    async refresh() {
      clearTimeout(timer);
      turn += 1;
      const own = turn;
      isBusy.value = true;
      const answer = await feed.load();
      if (own !== turn) return; // something else was asked meanwhile
      const now = Date.now();
      const isFailure = 'kind' in answer;
      failures = isFailure ? failures + 1 : 0;
      const wait = isFailure
        ? Math.max((answer.retryAfterSeconds ?? 0) * 1000, SHORTEST_PAUSE_MS * 2 ** failures)
        : (answer.provenance?.freshUntil ?? now + LONGEST_PAUSE_MS) - now;
      due = now + Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, wait));
      batch(() => {
        isBusy.value = false;
        failure.value = isFailure ? answer : undefined;
        if (!isFailure) loaded.value = answer;
        clock.value = now;
      });
      plan();
    },
    start() {
      isRunning = true;
      running.value = [...running.peek(), feed];
      document.addEventListener('visibilitychange', plan);
      window.addEventListener('online', retryWhenOnline);
      plan();
    },
    stop() {
      isRunning = false;
      clearTimeout(timer);
      running.value = running.peek().filter((each) => each !== feed);
      document.removeEventListener('visibilitychange', plan);
      window.removeEventListener('online', retryWhenOnline);
    },
  };
  return feed;
}
