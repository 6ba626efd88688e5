import { describe, expect, test } from 'vitest';
import { ratedAnswer } from '../sdk/answer.ts';
import { provenanceOf } from './provenance.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface CachedResponse {
  /** When the service answered, and when the data was made. */
  readonly answeredAt: number;
  readonly madeAt?: number;
  readonly maxAge?: number;
  readonly others?: Readonly<Record<string, string>>;
}

/** The minutes by which an answer is too old, on a machine whose clock is at NOW. */
function outdatedMinutes({ answeredAt, madeAt = answeredAt, maxAge = 60, others = {} }: CachedResponse) {
  const headers: Readonly<Record<string, string>> = {
    date: new Date(answeredAt).toUTCString(),
    'x-data-time': new Date(madeAt).toISOString(),
    'x-data-quality': 'exact',
    'cache-control': `public, max-age=${maxAge}, must-revalidate, stale-if-error=0`,
    ...others,
  };
  const { outdatedMs } = provenanceOf(ratedAnswer(undefined, new Headers(headers)), NOW);
  return outdatedMs === undefined ? undefined : outdatedMs / MINUTE_MS;
}

const hit = { 'x-cache': 'Hit from cloudfront', via: '1.1 example.cloudfront.net (CloudFront)' };
const miss = { ...hit, 'x-cache': 'Miss from cloudfront' };

describe('an answer', () => {
  test('of now is not out of date, however long ago its data was made', () => {
    expect(outdatedMinutes({ answeredAt: NOW })).toBeUndefined();
    expect(outdatedMinutes({ answeredAt: NOW, madeAt: NOW - 48 * HOUR_MS })).toBeUndefined();
  });

  test('whose data was made a little in the future is of now', () => {
    expect(outdatedMinutes({ answeredAt: NOW, madeAt: NOW + 20_000 })).toBeUndefined();
    const kept = { answeredAt: NOW - 3 * MINUTE_MS, madeAt: NOW + 20_000, maxAge: 0 };
    expect(outdatedMinutes({ ...kept, others: { ...hit, age: '180' } })).toBe(0);
  });

  test('that a cache gives within its lifetime, and for a minute more, is not out of date', () => {
    const others = { ...hit, age: '119' };
    expect(outdatedMinutes({ answeredAt: NOW - 119_000, others })).toBeUndefined();
  });

  test.each([
    ['counts its age', { ...hit, age: '1200' }],
    ['says nothing of its age', hit],
    ['says an age of zero', { ...hit, age: '0' }],
    ['says only that it is there', { via: '1.1 proxy' }],
    ['asked again in vain', { ...hit, 'x-cache': 'RefreshHit from cloudfront' }],
  ])('that a cache gives past that is as old as its data: one that %s', (_how, others) => {
    const answeredAt = NOW - 20 * MINUTE_MS;
    expect(outdatedMinutes({ answeredAt, others })).toBe(20);
    expect(outdatedMinutes({ answeredAt, others, madeAt: answeredAt - 5 * MINUTE_MS })).toBe(25);
  });

  test('is not judged if it does not say for how long it is true, or when it was made', () => {
    const answeredAt = NOW - HOUR_MS;
    for (const name of ['cache-control', 'x-data-time', 'date'])
      expect(outdatedMinutes({ answeredAt, others: { ...hit, [name]: '' } })).toBeUndefined();
  });
});

describe.each([
  ['an hour ahead', NOW - HOUR_MS],
  ['an hour behind', NOW + HOUR_MS],
])('on a machine whose clock is %s', (_name, truth) => {
  test.each([
    ['the service itself', 0, {}],
    ['the service through a cache', 0, miss],
    ['a cache', 42, { ...hit, age: '42' }],
  ])('a fresh answer of %s is not out of date', (_from, seconds, others) => {
    expect(outdatedMinutes({ answeredAt: truth - seconds * 1000, others })).toBeUndefined();
  });

  test('one that a cache gives too late is as old as it is', () => {
    const answeredAt = truth - 20 * MINUTE_MS;
    expect(outdatedMinutes({ answeredAt, others: { ...hit, age: '1200' } })).toBe(20);
  });
});
