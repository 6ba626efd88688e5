/** For tests: the policy over a real cache, with loads that the test scripts. Times are those of fake timers. */
import { vi } from 'vitest';
import { type Answer, currentAnswer } from '../../shared/marketdata/answer.ts';
import { AnswerCache } from '../../shared/marketdata/kept-answers.ts';
import type { Kept, ProviderClient } from '../../shared/marketdata/provider-client.ts';

export const START = Date.UTC(2026, 0, 1);
export const FRESH_MS = 60_000;
export const STALE_MS = 3_600_000;

export type Load = () => Promise<Kept<string>>;

/** Asks for keys as a handler asks for coins; each time with the load that a miss would begin. */
export function asking(maxBytes?: number) {
  const cache = new AnswerCache(8_000, maxBytes);
  return (key: string, load: Load): Promise<Answer<string>> => {
    const client = {
      cache,
      load: (name: string) => cache.load(name, load),
    } as unknown as ProviderClient; // what the policy uses of one
    const request = {
      path: key,
      read: String,
      freshUntil: (askedAt: number) => askedAt + FRESH_MS,
      staleForMs: STALE_MS,
    };
    return currentAnswer(client, key, request, { deadline: Date.now() + 10_000, staleWaitMs: 300 });
  };
}

export function loaded(data: string): Kept<string> {
  const now = Date.now();
  const freshUntil = now + FRESH_MS;
  return { data, source: 'test', madeAt: now, storedAt: now, freshUntil, staleUntil: freshUntil + STALE_MS };
}

export const succeed = (data: string) => vi.fn(async () => loaded(data));
export const fail = (error: unknown) => vi.fn((): Promise<Kept<string>> => Promise.reject(error));
export const at = (ms: number) => vi.setSystemTime(START + ms);
export const seen = ({ data, stale }: Answer<string>) => [data, stale];

export async function askingWith(data: string) {
  const ask = asking();
  await ask('key', succeed(data));
  return ask;
}
