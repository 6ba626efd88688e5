import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registryStore } from '../../functions/marketdata/jobs/registry/publish.ts';
import type { S3Server } from '../../local/s3.ts';
import { openIndexBytes } from '../../shared/registry/index-file.ts';
import { RegistryLookups } from '../../shared/registry/lookups.ts';
import { publishedRegistry, type RefreshOutcome, RegistryRefresh } from '../../shared/registry/refresh.ts';
import { startStubbedS3 } from '../s3.ts';
import { builtRegistry } from './provider-lists.ts';

describe('a refresh from a real server in place of S3', () => {
  let s3: S3Server;
  let current: RegistryLookups;
  let outcomes: RefreshOutcome[];
  let now: number;
  const published = builtRegistry(300, 1, 2);

  beforeEach(async () => {
    s3 = await startStubbedS3();
    const { bytes, manifest } = builtRegistry(300, 25);
    current = new RegistryLookups(openIndexBytes(bytes, manifest));
    outcomes = [];
    now = Date.now();
    await registryStore('bucket').publish(published);
    s3.requests.length = 0;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.close();
  });

  function refresh(): RegistryRefresh {
    return new RegistryRefresh({
      source: publishedRegistry('bucket'),
      current: () => current,
      replace: (newer) => {
        current = newer;
      },
      outcome: (outcome) => outcomes.push(outcome),
      now: () => now,
    });
  }

  it('takes the manifest, then the index that it names', async () => {
    void refresh().begin();
    await vi.waitFor(() => expect(outcomes).toEqual(['RegistryRefreshed']), { timeout: 15_000 });

    expect(s3.requests).toEqual([
      'GET /bucket/registry/manifest.v3.json',
      `GET /bucket/registry/${published.manifest.index}`,
    ]);
    expect(current.manifest).toEqual(published.manifest);
  });

  it('keeps the old registry while the server hangs, and begins anew with a later event', async () => {
    const before = current;
    const refreshed = refresh();
    s3.delayMs = Number.POSITIVE_INFINITY;

    await refreshed.begin();
    await sleep(100);
    expect([current, outcomes]).toEqual([before, []]);

    s3.delayMs = 0;
    now += 16_000;
    void refreshed.begin();
    await vi.waitFor(() => expect(outcomes).toEqual(['RegistryRefreshed']), { timeout: 15_000 });
  });

  it('refuses and counts an index that is not the one of its manifest, and keeps what it has', async () => {
    const before = current;
    const other = builtRegistry(300, 1, 3);
    s3.objects.set(`/bucket/registry/${published.manifest.index}`, Buffer.from(other.bytes));

    void refresh().begin();
    await vi.waitFor(() => expect(outcomes).toEqual(['RegistryRefreshFailed']), { timeout: 15_000 });
    expect(current).toBe(before);
  });
});
