import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  publishRegistry,
  type RegistryStore,
  registryStore,
} from '../../functions/marketdata/jobs/registry/publish.ts';
import type { S3Server } from '../../local/s3.ts';
import { type BuiltRegistry, buildRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { publishedRegistry } from '../../shared/registry/refresh.ts';
import { startStubbedS3 } from '../s3.ts';
import { builtRegistry } from './provider-lists.ts';

const MANIFEST = '/bucket/registry/manifest.v3.json';

describe('a registry is published, against a real server in place of S3', () => {
  let s3: S3Server;
  let store: RegistryStore;

  beforeEach(async () => {
    s3 = await startStubbedS3();
    store = registryStore('bucket');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.close();
  });

  const manifest = () => JSON.parse(String(s3.objects.get(MANIFEST)));
  const built = builtRegistry(50, 0);
  const { bytes, manifest: first } = built;
  const INDEX = `/bucket/registry/${first.index}`;
  const signal = () => AbortSignal.timeout(10_000);

  it('with its index before the manifest that names it, and is read by both', async () => {
    await store.publish(built);
    expect(s3.requests).toEqual([`PUT ${INDEX}`, `PUT ${MANIFEST}`]);

    const read = await publishedRegistry('bucket').manifest(signal());
    expect(read).toEqual(first);
    expect(Buffer.compare(await publishedRegistry('bucket').index(read, signal()), bytes)).toBe(0);
  });

  it('not at all if its index cannot be put', async () => {
    s3.failing = INDEX;
    await expect(store.publish(built)).rejects.toThrow('S3 answered 500: InternalError');
    expect(new Set(s3.requests)).toEqual(new Set([`PUT ${INDEX}`]));
  });

  it('for the first time: before, a reader gets an error, as from a manifest that is none, and the job nothing', async () => {
    const manifestRead = () => publishedRegistry('bucket').manifest(signal());
    await expect(manifestRead()).rejects.toThrow(expect.objectContaining({ name: 'NoSuchKey' }));
    expect(await store.published()).toMatchObject({ content: undefined, etag: undefined });

    s3.objects.set(MANIFEST, Buffer.from('{"index":"../../etc/passwd"}'));
    await expect(manifestRead()).rejects.toThrow(/manifest/);
  });

  it.each([
    ['the newer last', true, 2, 1],
    ['the older last', true, 1, 2],
    ['the first ones', false, 2, 1],
  ])('by two jobs at once, %s, and the newer stays', async (_order, isThere, firstAge, secondAge) => {
    if (isThere) await publishRegistry(builtRegistry(300, 24), store);
    const both = [builtRegistry(300, firstAge, 2), builtRegistry(300, secondAge, 3)];

    await Promise.all(both.map((registry) => publishRegistry(registry, store)));

    expect(manifest()).toEqual(both[firstAge < secondAge ? 0 : 1]?.manifest);
  });

  it('with the symbols that its coins had in earlier ones, up to when they have them again', async () => {
    const entries = simulatedEntries(300);
    let day = 0;
    const publish = async (symbols: Readonly<Record<string, string>>) => {
      day += 1;
      const list = entries.map((entry) => ({ ...entry, symbol: symbols[entry.id] ?? entry.symbol }));
      const next = buildRegistry(list, { source: 'test', builtAt: new Date(Date.UTC(2026, 0, day)) });
      expect(await publishRegistry(next, store)).toBe(true);
      const table = next.manifest.formerSymbols ?? [];
      return (manifest().formerSymbols ?? []).slice(0, -table.length || undefined);
    };

    expect(await publish({})).toEqual([]);
    expect(await publish({ 'ada-cardano': ' NEW ' })).toEqual([{ symbol: 'ADA', id: 'ada-cardano' }]);
    expect(await publish({ 'ada-cardano': 'new' })).toEqual([{ symbol: 'ADA', id: 'ada-cardano' }]);
    expect(await publish({ 'ada-cardano': 'NEWER' })).toEqual([
      { symbol: 'new', id: 'ada-cardano' },
      { symbol: 'ADA', id: 'ada-cardano' },
    ]);
    expect(await publish({})).toEqual([
      { symbol: 'NEWER', id: 'ada-cardano' },
      { symbol: 'new', id: 'ada-cardano' },
    ]);
  });

  it('not by a job that is late, whose list is older than the published one', async () => {
    const newer = builtRegistry(300, 1);
    expect(await publishRegistry(newer, store)).toBe(true);

    expect(await publishRegistry(builtRegistry(300, 2, 2), store)).toBe(false);

    expect(manifest()).toEqual(newer.manifest);
  });

  it('not by a job that another one overtakes between its look and its write', async () => {
    await publishRegistry(builtRegistry(300, 24), store);
    const newer = builtRegistry(300, 1, 2);
    const overtaken: RegistryStore = {
      ...store,
      publish: vi.fn(store.publish).mockImplementationOnce(async (...late) => {
        await publishRegistry(newer, store);
        return store.publish(...late);
      }),
    };

    expect(await publishRegistry(builtRegistry(300, 2, 3), overtaken)).toBe(false);

    expect(manifest()).toEqual(newer.manifest);
  });

  describe('after one that cannot be opened', () => {
    const published = builtRegistry(300, 24);
    const index = `/bucket/registry/${published.manifest.index}`;
    const halved = () => buildRegistry(simulatedEntries(300).slice(0, 150), { source: 'test' });
    const unlabelled = () =>
      buildRegistry(
        simulatedEntries(300).map((entry) => ({ ...entry, name: '' })),
        { source: 'test' },
      );

    it.each([
      ['has lost its index', () => s3.objects.delete(index)],
      ['is damaged', () => s3.objects.set(index, Buffer.from('damaged'))],
    ])('because it %s if its counts are plausible, and the list alone', async (_reason, spoil) => {
      await publishRegistry(published, store);
      spoil();

      const refused = (built: BuiltRegistry) => expect(publishRegistry(built, store)).rejects;
      await refused(halved()).toThrow('it has 150 entries where the last good list has 300');
      await refused(unlabelled()).toThrow('300 of its 300 entries have no name or no symbol');
      expect(await publishRegistry(builtRegistry(300, 1, 2), store)).toBe(true);
    });
  });

  it('after one of an unknown format if the list alone is plausible, and that one is kept', async () => {
    await publishRegistry(builtRegistry(300, 1), store);
    const unknown = Buffer.from(JSON.stringify({ ...manifest(), formatVersion: 99 }));
    s3.objects.set(MANIFEST, unknown);

    const unlabelled = simulatedEntries(300).map((entry) => ({ ...entry, name: '' }));
    await expect(publishRegistry(buildRegistry(unlabelled, { source: 'test' }), store)).rejects.toThrow(
      'no name',
    );
    expect(await publishRegistry(builtRegistry(300, 2, 2), store)).toBe(true);

    expect([...s3.objects.values()]).toContainEqual(unknown);
  });

  it('gives all ids of its table but those of a damaged line, and sets that table aside', async () => {
    const pairs = new Map([
      ['btc-bitcoin', 'bitcoin'],
      ['eth-ethereum', 'ethereum'],
    ]);
    const withIds = buildRegistry(simulatedEntries(300), { source: 'test', pairs });
    await store.publish(withIds);
    expect(await store.publishedIds()).toEqual(pairs);
    const damaged = Buffer.from(withIds.coinGeckoIds?.replace('btc-bitcoin\t', 'btc-bitcoin ') ?? '');
    s3.objects.set(`/bucket/registry/${withIds.manifest.coinGeckoIds}`, damaged);

    expect(await store.publishedIds()).toEqual(new Map([['eth-ethereum', 'ethereum']]));

    const copies = [...s3.objects].filter(([path]) => path.includes('/set-aside/'));
    expect(copies).toEqual([[expect.stringContaining('.tsv'), damaged]]);
  });

  it('without a comparison after the manifest was deleted', async () => {
    await publishRegistry(builtRegistry(300, 24), store);
    const small = builtRegistry(100, 1);
    await expect(publishRegistry(small, store)).rejects.toThrow('not published');

    s3.objects.delete(MANIFEST);

    expect(await publishRegistry(small, store)).toBe(true);
    expect(manifest()).toEqual(small.manifest);
  });
});
