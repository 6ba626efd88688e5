import { nextFetchAt } from '../../commands/next-fetch.ts';
import type { FailureResult } from '../../commands/result.ts';
import { shownChart } from '../../commands/shown-chart.ts';
import type { Printable } from '../print.ts';
import { untilAborted } from '../wait.ts';

/** The shortest interval, whatever the response's lifetime. */
const MIN_WAIT_MS = 5000;
/** Timers stop while a machine sleeps; a refresh starts as soon as it wakes. */
const TICK_MS = 1000;
/** How long a result counts as new: a screen, which redraws every second, marks changed prices once. */
const NEW_MS = 600;
/** These failures would repeat, so there is no retry. */
const LASTING: readonly FailureResult['reason'][] = ['usage', 'not-found', 'unauthorized'];

export type Answer = Exclude<Printable, FailureResult>;

/**
 * Fetches at once and again at the time of `nextFetchAt`, at the earliest after `seconds`. Each result carries the number
 * of failures in a row and the time of the next fetch. Ends when the signal is aborted. `fetch` never rejects.
 */
export async function* rounds<T extends Answer>(
  fetch: () => Promise<T | FailureResult>,
  {
    seconds = 0,
    signal,
  }: { readonly seconds?: number | undefined; readonly signal: AbortSignal | undefined },
) {
  const shortestMs = Math.max(MIN_WAIT_MS, seconds * 1000);
  let failures = 0;
  for (;;) {
    const result = await untilAborted(fetch(), signal);
    if (!result) return;
    failures = result.kind === 'failure' ? failures + 1 : 0;
    const outcome =
      result.kind === 'failure'
        ? { failures, retryAfterSeconds: result.retryAfterSeconds }
        : { freshUntil: freshUntilOf(result) };
    const nextAt = nextFetchAt(outcome, shortestMs, Date.now());
    yield { result, failures, nextAt };
    if (!(await timeComes(nextAt, signal))) return;
  }
}

/** Whether a retry is pointless. */
export function isLasting({ reason }: FailureResult): boolean {
  return LASTING.includes(reason);
}

/** When the first part of a result expires: milliseconds since the epoch. */
function freshUntilOf(result: Answer): number {
  if (result.kind === 'list') return result.freshUntil;
  if (result.kind === 'price') return earliest(result.prices);
  if (result.kind !== 'chart') return Number.MAX_SAFE_INTEGER;
  const { command, conversion, compared } = result;
  return earliest([result, ...compared].map((each) => shownChart({ ...each, command, conversion })));
}

function earliest(parts: readonly { readonly provenance: { readonly freshUntil: number } }[]): number {
  return Math.min(...parts.map(({ provenance }) => provenance.freshUntil));
}

/** Resolves to false as soon as the signal is aborted. */
async function timeComes(time: number, signal: AbortSignal | undefined): Promise<boolean> {
  while (Date.now() < time && !signal?.aborted) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, Math.max(0, Math.min(TICK_MS, time - Date.now())));
      signal?.addEventListener('abort', done);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      }
    });
  }
  return signal?.aborted !== true;
}

/** A fetch that repeats, for a view; `changed` is called after each result. `fetch` never rejects. */
export function createFeed<T extends Answer>(
  fetch: (signal: AbortSignal) => Promise<T | FailureResult>,
  seconds: number | undefined,
  changed: () => void,
) {
  let answer: T | undefined;
  let failure: FailureResult | undefined;
  let answeredAt = 0;
  let nextAt = 0;
  let running = new AbortController();

  async function run({ signal }: AbortController): Promise<void> {
    nextAt = 0;
    for await (const round of rounds(() => fetch(signal), { seconds, signal })) {
      if (signal.aborted) return;
      nextAt = round.nextAt;
      if (round.result.kind === 'failure') {
        failure = round.result;
      } else {
        answer = round.result;
        answeredAt = Date.now();
        failure = undefined;
      }
      changed();
    }
  }
  void run(running);
  return {
    /** The newest result; kept while newer ones fail. */
    answer: () => answer,
    /** Whether the newest result has only just arrived. */
    isNew: () => Date.now() - answeredAt < NEW_MS,
    /** Why the last fetch failed. */
    failure: () => failure,
    /** When the next fetch starts, or that it is running. */
    status() {
      const left = nextAt - Date.now();
      return left <= 0 ? 'loading …' : `${failure ? 'again' : 'next'} in ${countdown(left)}`;
    },
    /** Fetches at once and cancels the running fetch. */
    refresh() {
      running.abort();
      running = new AbortController();
      void run(running);
    },
    close: () => running.abort(),
  };
}

/** `9:41` or `0:07`. */
function countdown(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
