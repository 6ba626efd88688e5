import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NOW, snapshotOf } from '../../../test/snapshot/tickers.ts';
import type { Objects } from '../../platform/objects.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { snapshotCache } from './current-snapshot.ts';

const never = () => new Promise<never>(() => {});

describe('the snapshot that a container holds', () => {
  let looks: (string | undefined)[];
  let outcomes: string[];
  let published: { takenAt: number; etag: string };
  let newer: Objects['getNewer'] | undefined;
  let ask: ReturnType<typeof snapshotCache>;

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW + 5000 });
    looks = [];
    outcomes = [];
    published = { takenAt: NOW, etag: '"1"' };
    newer = undefined;
    ask = snapshotCache({
      objects: {
        getNewer: async (name, etag, limits) => {
          looks.push(etag);
          if (newer) return newer(name, etag, limits);
          const { takenAt } = published;
          return etag === published.etag
            ? undefined
            : { bytes: snapshotOf(['a'], { takenAt }), ...published };
        },
      },
      staleWaitMs: 300,
      outcome: (outcome) => outcomes.push(outcome),
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const publish = (minutes: number) => {
    published = { takenAt: NOW + minutes * MINUTE_MS, etag: `"${minutes}"` };
  };
  const askAt = (minutes: number, seconds = 0) => {
    vi.setSystemTime(NOW + minutes * MINUTE_MS + seconds * 1000);
    return ask();
  };
  /** The wait of a request, on the fake clock. */
  const waitOf = async () => {
    const asked = Date.now();
    const answered = ask().then(() => Date.now() - asked);
    await vi.advanceTimersByTimeAsync(2100);
    return answered;
  };

  it('takes one read in each interval, however many requests come', async () => {
    for (let minutes = 0; minutes < 60; minutes += 0.25) {
      if (minutes % 10 === 0) publish(minutes);
      await askAt(minutes, 20);
    }
    expect(looks).toHaveLength(6);
    expect((await ask())?.takenAt).toBe(NOW + 50 * MINUTE_MS);
  });

  it('is looked for with its ETag ten times in an interval while the newer one is late', async () => {
    await ask();
    for (let minutes = 10; minutes < 20; minutes += 0.25) await askAt(minutes, 20);

    expect(looks).toHaveLength(1 + 10);
    expect(new Set(looks.slice(1))).toEqual(new Set(['"1"']));
    expect(outcomes).toEqual(['SnapshotRefreshed']);
  });

  it('is looked for every ten seconds once the held one is outdated', async () => {
    await ask();
    looks = [];
    for (let seconds = 0; seconds < 60; seconds += 5) await askAt(20, seconds);
    expect(looks).toHaveLength(6);
    publish(20);
    expect((await askAt(21))?.takenAt).toBe(NOW + 20 * MINUTE_MS);
  });

  it('makes a request wait for the whole read if none is held, and the next ones not for ten seconds', async () => {
    newer = never;
    expect(await waitOf()).toBeCloseTo(2000, -1);
    expect(await waitOf()).toBe(0);
  });

  it.each([
    [50, 'is good', 11],
    [300, 'is outdated', 20],
  ])('makes a request wait %i ms if the held one %s', async (waitMs, _what, minutes) => {
    await Promise.all([ask(), ask()]);
    expect(looks).toHaveLength(1);
    newer = never;
    vi.setSystemTime(NOW + minutes * MINUTE_MS);
    expect(await waitOf()).toBe(waitMs);
  });

  it.each<[string, Objects['getNewer']]>([
    ['S3 fails', () => Promise.reject(new Error('S3 is away'))],
    ['the newer one is damaged', async () => ({ bytes: snapshotOf(['a']).subarray(1), etag: '"2"' })],
  ])('is kept if %s, which is counted, and looked for again ten seconds later', async (_what, read) => {
    await ask();
    newer = read;

    expect((await askAt(11))?.takenAt).toBe(NOW);
    await askAt(11, 9);
    expect(outcomes).toEqual(['SnapshotRefreshed', 'SnapshotRefreshFailed']);
    newer = undefined;
    publish(10);
    expect((await askAt(11, 10))?.takenAt).toBe(NOW + 10 * MINUTE_MS);
  });

  it('is kept if it is deleted from the store, and replaced by the next one', async () => {
    await ask();
    newer = () => Promise.reject(Object.assign(new Error('S3 answered 404'), { name: 'NoSuchKey' }));

    expect((await askAt(11))?.takenAt).toBe(NOW);
    newer = undefined;
    publish(10);
    expect((await askAt(13))?.takenAt).toBe(NOW + 10 * MINUTE_MS);
  });

  it('is not replaced by an older one, which is not fetched again', async () => {
    publish(10);
    await askAt(11);
    publish(5);

    expect((await askAt(21))?.takenAt).toBe(NOW + 10 * MINUTE_MS);
    expect((await askAt(23))?.takenAt).toBe(NOW + 10 * MINUTE_MS);
    expect(looks).toEqual([undefined, '"10"', '"5"']);
    publish(20);
    expect((await askAt(25))?.takenAt).toBe(NOW + 20 * MINUTE_MS);
  });

  it('is kept although it is from the future, looked at again after an interval, and replaced by any other', async () => {
    publish(8 * 60);
    expect((await askAt(1))?.takenAt).toBe(NOW + 8 * 60 * MINUTE_MS);
    publish(2);
    expect((await askAt(10))?.takenAt).toBe(NOW + 8 * 60 * MINUTE_MS);
    expect((await askAt(12))?.takenAt).toBe(NOW + 2 * MINUTE_MS);
    expect(outcomes).toEqual(['SnapshotRefreshed', 'SnapshotRefreshed']);
  });
});
