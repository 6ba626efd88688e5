import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { builtRegistry as builtWithoutIds } from '../../test/registry/provider-lists.ts';
import { S3Error } from '../platform/s3-error.ts';
import { HOUR_MS } from '../platform/time.ts';
import { openIndexBytes } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import type { RegistryManifest } from './manifest.ts';
import type { RefreshOutcome, RegistrySource } from './newer.ts';
import { RegistryRefresh } from './refresh.ts';

type Built = ReturnType<typeof builtWithoutIds>;

function builtRegistry(...options: Parameters<typeof builtWithoutIds>): Built {
  const built = builtWithoutIds(...options);
  return { ...built, manifest: { ...built.manifest, coinGeckoIds: 'coingecko-ids-0.tsv' } };
}

const open = ({ bytes, manifest }: Built) => new RegistryLookups(openIndexBytes(bytes, manifest));

interface Fixture {
  readonly refresh: RegistryRefresh;
  readonly outcomes: RefreshOutcome[];
  readonly checks: { count: number };
}

/** A refresh over a source whose manifest and index can be replaced. */
function fixture(
  initial: RegistryLookups | undefined,
  source: Partial<RegistrySource> & { readonly published?: Built },
): Fixture {
  const outcomes: RefreshOutcome[] = [];
  const checks = { count: 0 };
  const published = source.published ?? builtRegistry(300, 1, 2);
  const refresh = new RegistryRefresh({
    source: {
      manifest: async (signal) => {
        checks.count += 1;
        return source.manifest ? source.manifest(signal) : published.manifest;
      },
      index: source.index ?? (async () => published.bytes),
    },
    initial,
    outcome: (outcome) => outcomes.push(outcome),
  });
  return { refresh, outcomes, checks };
}

const old = () => open(builtRegistry(300, 25));

describe('a registry refresh', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('swaps a registry older than a day for the published one, whole', async () => {
    const state = fixture(old(), {});
    const before = state.refresh.registry?.manifest.version;

    await state.refresh.refresh();

    expect(state.outcomes).toEqual(['RegistryRefreshed']);
    expect(state.refresh.registry?.manifest.version).not.toBe(before);
    expect(state.refresh.registry?.getById('btc-bitcoin')).not.toBeNull();
  });

  it('does not look while the registry is younger than a day, and does if there is none at all', async () => {
    const young = fixture(open(builtRegistry(300, 23)), {});
    await young.refresh.refresh();
    expect(young.checks.count).toBe(0);

    const none = fixture(undefined, {});
    await none.refresh.refresh();
    expect(none.refresh.registry?.size).toBe(300);
  });

  it('looks again soon while there is none at all, because the first one may be being made', async () => {
    const published = builtRegistry(300, 1);
    let isPublished = false;
    const state = fixture(undefined, {
      manifest: async () => {
        if (!isPublished) throw new S3Error(404, 'NoSuchKey');
        return published.manifest;
      },
      index: async () => published.bytes,
    });
    await state.refresh.refresh({ isNeeded: true });
    expect(state.refresh.registry).toBeUndefined();

    isPublished = true;
    await state.refresh.refresh({ isNeeded: true });
    expect(state.checks.count).toBe(1);
    vi.advanceTimersByTime(10_000);
    await state.refresh.refresh({ isNeeded: true });
    expect(state.refresh.registry?.size).toBe(300);
  });

  it('looks for ids once a minute, and then has them though the coins are the same', async () => {
    let published = builtWithoutIds(300, 0.5);
    const state = fixture(open(published), {
      manifest: async () => published.manifest,
      index: async () => published.bytes,
    });
    await state.refresh.refresh();
    published = builtRegistry(300, 0.1);
    expect(published.manifest.version).toBe(state.refresh.registry?.manifest.version);

    vi.advanceTimersByTime(60_000);
    await state.refresh.refresh();
    expect(state.refresh.registry?.manifest.coinGeckoIds).toBe('coingecko-ids-0.tsv');
    vi.advanceTimersByTime(60_000);
    await state.refresh.refresh();
    expect(state.checks.count).toBe(2);
  });

  it('looks once an hour, whatever it finds', async () => {
    const state = fixture(old(), { published: builtRegistry(300, 30) });

    for (let minute = 0; minute < 60; minute += 1) {
      await state.refresh.refresh();
      vi.advanceTimersByTime(60_000);
    }
    expect(state.checks.count).toBe(1);

    await state.refresh.refresh();
    expect(state.checks.count).toBe(2);
    expect(state.outcomes).toEqual([]);
  });

  it.each([
    ['a list that cannot be true', builtRegistry(239, 1, 2), 'RegistryRefreshRefused'],
    ['another SHA-256 than its manifest says', corrupted(), 'RegistryRefreshFailed'],
    [
      'bytes that are no index',
      { ...builtRegistry(300, 1, 2), bytes: new Uint8Array(64) },
      'RegistryRefreshFailed',
    ],
  ])('keeps the old one and counts it if the new one has %s', async (_flaw, published, outcome) => {
    const state = fixture(old(), { published });
    const before = state.refresh.registry;

    await state.refresh.refresh();

    expect(state.refresh.registry).toBe(before);
    expect(state.outcomes).toEqual([outcome]);
  });

  it('never waits for longer than 50 ms, and goes on with the next request', async () => {
    const slow = Promise.withResolvers<RegistryManifest>();
    const published = builtRegistry(300, 1, 2);
    const state = fixture(old(), { manifest: () => slow.promise, published });

    const first = state.refresh.refresh();
    await vi.advanceTimersByTimeAsync(50);
    await first;
    expect(state.outcomes).toEqual([]);

    slow.resolve(published.manifest);
    await state.refresh.refresh();
    expect(state.outcomes).toEqual(['RegistryRefreshed']);
    expect(state.checks.count).toBe(1);
  });

  it.each([
    [
      'an hour',
      'nothing is published',
      Object.assign(new Error('S3 answered 404'), { name: 'NoSuchKey' }),
      HOUR_MS,
    ],
    ['ten seconds', 'S3 does not answer', new Error('S3 is away'), 10_000],
  ])('looks again after %s if %s', async (_time, _what, error, restMs) => {
    const state = fixture(old(), { manifest: () => Promise.reject(error) });

    await state.refresh.refresh();
    vi.advanceTimersByTime(restMs - 1);
    await state.refresh.refresh();
    expect(state.outcomes).toEqual(['RegistryRefreshFailed']);
    vi.advanceTimersByTime(1);
    await state.refresh.refresh();
    expect(state.outcomes).toEqual(['RegistryRefreshFailed', 'RegistryRefreshFailed']);
  });
});

function corrupted(): Built {
  const { bytes, manifest } = builtRegistry(300, 1, 2);
  const copy = Uint8Array.from(bytes);
  copy[copy.length - 9] = (copy[copy.length - 9] ?? 0) ^ 1;
  return { bytes: copy, manifest };
}
