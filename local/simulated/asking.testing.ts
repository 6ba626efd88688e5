import { createSimulated, type SimulatedOptions, type SimulatedSource } from './index.ts';

/** 2026-03-10T16:42:31Z, unless a test says otherwise. */
export const NOW = Date.UTC(2026, 2, 10, 16, 42, 31);
export const TODAY = Date.UTC(2026, 2, 10);

/** A world on a fixed clock, without a socket. */
export function worldForTest(options: SimulatedOptions = {}) {
  return createSimulated({ now: () => NOW, ...options });
}

/** What a source answers in this process: status, headers, text, and the JSON in the shape that the caller expects. */
export function ask<T = never>(source: SimulatedSource, url: string, headers: Record<string, string> = {}) {
  const answer = source.answer({ url, headers: { 'user-agent': 'test', ...headers } });
  return {
    status: answer.status,
    headers: answer.headers,
    text: answer.body,
    get json() {
      return JSON.parse(answer.body) as T;
    },
  };
}
