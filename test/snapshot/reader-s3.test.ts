import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotStore } from '../../functions/marketdata/jobs/snapshot/store.ts';
import type { S3Server } from '../../local/s3.ts';
import { SnapshotCache, snapshotReader } from '../../shared/marketdata/store/current-snapshot.ts';
import { startStubbedS3 } from '../s3.ts';
import { NOW, snapshotOf } from './tickers.ts';

const GET = 'GET /bucket/snapshot/tickers.v3';

describe('the snapshot, from a real server in place of S3', () => {
  let s3: S3Server;
  let outcomes: string[];
  let now: number;
  let holder: SnapshotCache;

  beforeEach(async () => {
    s3 = await startStubbedS3();
    outcomes = [];
    now = NOW;
    holder = new SnapshotCache({
      store: snapshotReader('bucket'),
      staleWaitMs: 300,
      outcome: (outcome) => outcomes.push(outcome),
      now: () => now,
    });
    await publish(['a'], NOW);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.close();
  });

  async function publish(ids: string[], takenAt: number): Promise<void> {
    const store = snapshotStore('bucket');
    const { etag } = await store.before();
    await store.publish(snapshotOf(ids, { takenAt }), etag);
    s3.requests.length = 0;
  }
  /** Of two timers the shorter one comes first, however busy the machine is. */
  async function timed(withinMs: number) {
    const asked = performance.now();
    const snapshot = await Promise.race([holder.current(), sleep(withinMs, 'too late' as const)]);
    if (snapshot === 'too late') throw new Error(`not within ${withinMs} ms`);
    return { snapshot, ms: performance.now() - asked };
  }
  const see = (...all: string[]) => expect.poll(() => outcomes).toEqual(all);
  const later = (minutes: number) => {
    now = NOW + minutes * 60_000;
  };

  it('is fetched whole once, not again while it is the same, and whole when there is a newer one', async () => {
    expect((await holder.current())?.ticker('a')?.data.id).toBe('a');
    later(11);
    expect((await holder.current())?.rows).toBe(1);
    later(13);
    await publish(['a', 'b'], now);
    await expect.poll(async () => (await holder.current())?.rows).toBe(2);

    expect(s3.requests).toEqual([GET]);
    expect(outcomes).toEqual(['SnapshotRefreshed', 'SnapshotRefreshed']);
  });

  it('may take longer to arrive than S3 to answer, because nobody waits for all of it', async () => {
    await holder.current();
    later(11);
    await publish(['a', 'b'], now);
    s3.contentDelayMs = 400;

    const first = await timed(190);
    expect(first.snapshot?.rows).toBe(1);
    await expect.poll(async () => (await holder.current())?.rows).toBe(2);
    expect(outcomes).toEqual(['SnapshotRefreshed', 'SnapshotRefreshed']);
  });

  it('is waited for by the first request for a second, and for 200 ms from then on', async () => {
    s3.delayMs = Number.POSITIVE_INFINITY;

    expect((await timed(1200)).snapshot).toBeUndefined();
    await see('SnapshotRefreshFailed');
    later(1);
    expect((await timed(400)).snapshot).toBeUndefined();
    await see('SnapshotRefreshFailed', 'SnapshotRefreshFailed');
    later(2);
    s3.delayMs = 100;
    expect((await holder.current())?.rows).toBe(1);
    expect(outcomes).toEqual(['SnapshotRefreshFailed', 'SnapshotRefreshFailed', 'SnapshotRefreshed']);
  });
});
