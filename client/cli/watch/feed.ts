import type { FailureResult } from '../../commands/result.ts';
import { backOff } from '../wait.ts';
import type { Loaded, LoadFailure } from './load.ts';

export interface FeedState {
  /** The newest that was told; kept while newer ones cannot be had. */
  readonly loaded: Loaded | undefined;
  /** Why the last request brought nothing. */
  readonly failure: FailureResult | undefined;
  readonly isLoading: boolean;
  /** When it is asked for again: milliseconds since the epoch. */
  readonly nextAt: number;
}

/** Prices that are asked for again when their lifetime is over. */
export interface Feed {
  state(): FeedState;
  /** Asks at once, and gives up what was being asked for. */
  refresh(): void;
  close(): void;
}

/** The same answer is not asked for more often, however short it lives. */
const MIN_PAUSE_MS = 15_000;
const TICK_MS = 1000;

/**
 * Loads at once, and then whenever the prices' lifetime ends; after failures ever more rarely, up to five minutes. Calls
 * `changed` after each change and once a second, so that a countdown goes on. `load` never rejects.
 */
export function createFeed(
  load: (former: Loaded | undefined, signal: AbortSignal) => Promise<Loaded | LoadFailure>,
  changed: () => void,
  now: () => number,
): Feed {
  let state: FeedState = { loaded: undefined, failure: undefined, isLoading: false, nextAt: 0 };
  let failures = 0;
  let running = new AbortController();

  function set(change: Partial<FeedState>): void {
    state = { ...state, ...change };
    changed();
  }

  async function ask(): Promise<void> {
    running.abort();
    const asked = new AbortController();
    running = asked;
    set({ isLoading: true });
    const answer = await load(state.loaded, asked.signal);
    if (asked.signal.aborted) return;
    if (answer.kind === 'loaded') {
      failures = 0;
      const nextAt = Math.min(Math.max(answer.freshUntil, now() + MIN_PAUSE_MS), now() + 24 * 3_600_000);
      set({ loaded: answer, failure: undefined, isLoading: false, nextAt });
      return;
    }
    failures += 1;
    const { failure } = answer;
    const pause = backOff(failures, 0, failure.retryAfterSeconds, MIN_PAUSE_MS);
    set({ failure, isLoading: false, nextAt: now() + pause });
  }

  // A tick looks at the clock, so that a machine which slept asks as soon as it wakes.
  const timer = setInterval(() => {
    if (!state.isLoading && now() >= state.nextAt) void ask();
    else changed();
  }, TICK_MS);
  void ask();

  return {
    state: () => state,
    refresh: () => void ask(),
    close() {
      clearInterval(timer);
      running.abort();
    },
  };
}
