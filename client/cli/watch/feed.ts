import type { FailureResult } from '../../commands/result.ts';
import { type Answer, rounds } from './rounds.ts';

/** A question that is asked again and again, as a view shows it. */
export interface Feed<T extends Answer> {
  /** The newest one; kept while newer ones cannot be had. */
  answer(): T | undefined;
  /** Why the last request brought nothing. */
  failure(): FailureResult | undefined;
  /** When the next one is asked for, or that it is. */
  status(): string;
  /** Asks at once, and gives up what was being asked for. */
  refresh(): void;
  close(): void;
}

/** Asks at once. `fetch` never rejects; `changed` is called after each answer. */
export function createFeed<T extends Answer>(
  fetch: (signal: AbortSignal) => Promise<T | FailureResult>,
  seconds: number | undefined,
  changed: () => void,
): Feed<T> {
  let answer: T | undefined;
  let failure: FailureResult | undefined;
  let nextAt = 0;
  let running = new AbortController();

  async function run({ signal }: AbortController): Promise<void> {
    nextAt = 0;
    for await (const round of rounds(() => fetch(signal), { seconds, signal })) {
      if (signal.aborted) return;
      nextAt = round.nextAt;
      if (round.result.kind === 'failure') failure = round.result;
      else [answer, failure] = [round.result, undefined];
      changed();
    }
  }
  void run(running);
  return {
    answer: () => answer,
    failure: () => failure,
    status() {
      const left = nextAt - Date.now();
      return left <= 0 ? 'asking …' : `${failure ? 'again' : 'next'} in ${countdown(left)}`;
    },
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
