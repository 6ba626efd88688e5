import { describe, expect, test } from 'vitest';
import { ratedAnswer } from '../sdk/answer.ts';
import { nextFetchAt } from './next-fetch.ts';
import { provenanceOf } from './provenance.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);
const SHORTEST_MS = 5000;

const secondsUntil = (outcome: Parameters<typeof nextFetchAt>[0]) =>
  (nextFetchAt(outcome, SHORTEST_MS, NOW) - NOW) / 1000;

describe('the next fetch', () => {
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['just after the response expires', { 'cache-control': 'public, max-age=70, must-revalidate' }, 72],
    ['sooner after a response that a cache has held', { 'cache-control': 'max-age=70', age: '40' }, 32],
    ['after a few seconds if it has expired on arrival', { 'cache-control': 'max-age=0' }, 5],
    ['after a few seconds if a cache returned it too late', { 'cache-control': 'max-age=70', age: '900' }, 5],
    ['after ten minutes if the response states no lifetime', {}, 602],
  ])('starts %s', (_when, headers, seconds) => {
    expect(secondsUntil(provenanceOf(ratedAnswer(undefined, new Headers(headers)), NOW))).toBe(seconds);
  });

  test('starts after a day if nothing in the result expires', () => {
    expect(secondsUntil({ freshUntil: Number.POSITIVE_INFINITY })).toBe(86_400);
  });

  test.each([
    [1, undefined, 5],
    [2, undefined, 10],
    [6, undefined, 160],
    [7, undefined, 300],
    [2000, undefined, 300],
    [1, 100, 100],
    [1, 1000, 1000],
    [3, 1, 20],
  ])(
    'starts, after %s failures of which the last demanded a pause of %s s, in %s s',
    (failures, retryAfterSeconds, seconds) => {
      expect(secondsUntil({ failures, retryAfterSeconds })).toBe(seconds);
    },
  );
});
