import { lifetimeOf, timeOf } from '../../commands/clock.ts';
import { type Provenance, provenanceOf } from '../../commands/provenance.ts';
import { ApiFailure, type RatedAnswer } from '../../sdk/index.ts';

/** An answer with what is known of its age; times in milliseconds. */
export interface Arrived<Data> {
  readonly data: Data;
  readonly provenance: Provenance;
  /** When its lifetime ends, by this machine's clock. */
  readonly until: number;
  /** By how much the service's clock is ahead of this machine's. */
  readonly ahead: number;
}

/** The newest answer of a route, asked for again whenever its lifetime has ended. */
export interface Feed<Data> {
  /** Undefined: none has arrived yet. */
  readonly latest: () => Arrived<Data> | undefined;
  /** What the last attempt failed with; undefined if it did not fail. */
  readonly failure: () => unknown;
  /** Asks while it is wanted; at once, if what is there is too old. */
  want(isWanted: boolean): void;
  /** Asks now, if it is wanted. */
  refresh(): void;
}

/** Also of answers that are out of date when they arrive. */
const SHORTEST_PAUSE_MS = 30_000;
const PAUSE_AFTER_FAILURE_MS = 60_000;

/** Asks only while the page can be seen; `onChange` is called after each attempt. */
export function createFeed<Data>(ask: () => Promise<RatedAnswer<Data>>, onChange: () => void): Feed<Data> {
  let latest: Arrived<Data> | undefined;
  let failure: unknown;
  let isWanted = false;
  let due = 0;
  let turn = 0;
  let isAsking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function plan(): void {
    clearTimeout(timer);
    if (!isWanted || isAsking || document.hidden) return;
    timer = setTimeout(() => void attempt(), Math.max(0, due - Date.now()));
  }

  async function attempt(): Promise<void> {
    clearTimeout(timer);
    turn += 1;
    const own = turn;
    isAsking = true;
    try {
      const answer = await ask();
      if (own !== turn) return; // asked again meanwhile, with another key
      const now = Date.now();
      const until = now + lifetimeOf(answer.headers);
      const ahead = timeOf(answer.headers, now) - now;
      latest = { data: answer.data, provenance: provenanceOf(answer, now), until, ahead };
      failure = undefined;
      due = Math.max(until, now + SHORTEST_PAUSE_MS);
    } catch (error) {
      if (own !== turn) return;
      failure = error;
      const wait = error instanceof ApiFailure ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      due = Date.now() + Math.max(wait, PAUSE_AFTER_FAILURE_MS);
    }
    isAsking = false;
    onChange();
    plan();
  }

  document.addEventListener('visibilitychange', plan);
  window.addEventListener('online', () => {
    if (failure === undefined) return;
    due = 0;
    plan();
  });

  return {
    latest: () => latest,
    failure: () => failure,
    want(wanted) {
      if (wanted === isWanted) return;
      isWanted = wanted;
      plan();
    },
    refresh() {
      failure = undefined; // it was another attempt's, perhaps with another key
      if (isWanted) void attempt();
      else due = 0;
    },
  };
}
