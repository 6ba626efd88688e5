import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { type StoredKind, stores } from '../../shared/marketdata/stores.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { startLoopback } from '../pipeline/loopback.ts';
import { isLong } from '../setup/long.ts';
import { jobNames, type Service, startService } from './world.ts';

/** An evening and a midnight of jobs take eight seconds. */
const TIMEOUT_MS = 180_000;
/** The writes at which each job is stopped; `npm run test:long` tries more of them. */
const STOPS = isLong ? 8 : 2;
let service: Service;
beforeEach(async () => {
  service = await startService();
}, TIMEOUT_MS);
afterEach(async () => {
  await service.close();
});

/** Flips one byte, at the same place in each object that is long enough. */
function flip(at: number, paths: Iterable<string> = service.s3.objects.keys()): void {
  for (const path of paths) {
    const bytes = service.s3.objects.get(path);
    if (bytes && bytes.length > at) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  }
}

/** The entry of an object, by its name below the bucket; undefined for unknown objects. */
function storedKindOf(path: string): StoredKind | undefined {
  const plain = path.replace(/\.v\d+/, '').replace(/(^[a-z]+\/)set-aside\/(.*)@[\da-f]+$/, '$1$2');
  return stores.find(({ kind, name }) => {
    const pattern = `${kind}/${name}`.replace(/<[^>]+>/g, '[^/]+');
    return new RegExp(`^${pattern}(\\.[a-z]+)?$`).test(plain);
  });
}

describe('an object with a wrong byte in its beginning', () => {
  const requests: ['ohlcv' | 'ticker', string, string][] = [
    ['ohlcv', 'btc-bitcoin', 'interval=1h&limit=12'],
    ['ticker', 'wbtc-wrapped-bitcoin', ''],
  ];

  it.each(requests)('is detected at once by %s/%s', { timeout: TIMEOUT_MS }, async (route, id, query) => {
    for (let at = 8; at < 76; at += 4) {
      const stored = service.stored();
      flip(at + 3);
      await service.ask(route, id, query);
      const reads = Map.groupBy(service.s3.requests, (line) => line);
      expect(Math.max(...[...reads.values()].map(({ length }) => length))).toBeLessThanOrEqual(4);
      service.restore(stored);
    }
  });
});

describe('an object that cannot be opened', () => {
  const isCopy = (path: string) => path.includes('/set-aside/');

  /** One object of each kind, the last one put: names that differ only in ids and times are of one kind. */
  const oneOfEach = () => [
    ...new Map(
      [...service.s3.objects.keys()].map((path) => [
        path.replace(/~[^/]+|[-\da-f]{4,}|(?<=\/)\d\d$|(?<=past-rates\/)[A-Z]/g, ''),
        path,
      ]),
    ).values(),
  ];

  it('is kept whole, under another name if its job makes it anew, and no job fails that can go on without it', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const before = service.stored();
    const now = Date.now();
    for (const [index, path] of oneOfEach().entries()) {
      const at = index % 2 ? 0 : 9; // its signature, or its version
      service.restore(before);
      vi.setSystemTime(now);
      flip(at, [path]);
      const damaged = Buffer.from(service.s3.objects.get(path) ?? '');
      const { writers = [], readers = [] } = storedKindOf(path.replace(/^\/[^/]+\//, '')) ?? {};
      const involved = new Set([...writers, ...readers]);
      // No other job may read or write it. The snapshot's job ends the outage, during which fewer coins are listed.
      const results = await service.runAll(jobNames.filter((job) => job === 'snapshot' || involved.has(job)));
      const after = [...service.s3.objects];
      const { ObjectsSetAside = 0 } = await service.counted();
      // Objects that are made anew in each run, such as quotes, may be shorter without their former state.
      const less = [...before].filter(
        ([one, { length }]) =>
          one.includes('/history/') && one !== path && length > (service.s3.objects.get(one)?.length ?? 0),
      );
      const found = {
        counted: ObjectsSetAside,
        copies: after.filter(([one]) => isCopy(one)).length,
        isKept: after.some(([, bytes]) => bytes.equals(damaged)),
        failed: Object.entries(results).filter(([, result]) => result instanceof Error),
        less: less.map(([one]) => one),
      };
      if (/\/history\/(days|hours|coins)\./.test(path)) {
        // What nothing can make anew stays until it is restored.
        const isSame = service.s3.objects.get(path)?.equals(damaged);
        expect([path, at, isSame, found.copies, found.less]).toEqual([path, at, true, 0, []]);
        for (const [job] of found.failed)
          expect([path, ['roll-up', 'past']]).toEqual([path, expect.arrayContaining([job])]);
        continue;
      }
      const isReplaced = !service.s3.objects.get(path)?.equals(damaged);
      const isRead = isReplaced || found.copies > 0;
      // Each job that reads it counts it, until one replaces it.
      const most = isReplaced ? involved.size : Infinity;
      const times = isRead ? Math.min(Math.max(1, found.counted), most) : 0;
      const expected = { counted: times, copies: Number(isRead), isKept: true, failed: [], less: [] };
      expect([path, at, found]).toEqual([path, at, expected]);
    }
  });
});

describe('objects of the next version', () => {
  it('stay as they are beside those of this version', { timeout: TIMEOUT_MS }, async () => {
    const stored = service.stored();
    // The index of the registry is named by its content, in a manifest that has a version.
    const unversioned = [...stored.keys()].filter((path) => !/\.v\d+/.test(path));
    expect(unversioned.filter((path) => !/-[\da-f]{12,}(\.idx|\.tsv)?$/.test(path))).toEqual([]);

    const next = new Map(
      [...stored]
        .filter(([path]) => !unversioned.includes(path))
        .map(([path, bytes]) => [
          path.replace(/\.v(\d+)/, (_, version) => `.v${Number(version) + 1}`),
          Buffer.from(bytes).reverse(),
        ]),
    );
    service.restore(new Map([...stored, ...next]));
    const results = await service.runAll();

    const changed = [...next].filter(([path, bytes]) => !service.s3.objects.get(path)?.equals(bytes));
    expect(changed.map(([path]) => path)).toEqual([]);
    expect(await service.counted()).not.toHaveProperty('ObjectsSetAside');
    expect(Object.entries(results).filter(([, result]) => result instanceof Error)).toEqual([]);
  });
});

describe('a coin whose days cannot be opened', () => {
  const ID = 'btc-bitcoin';
  const YEARS = 'limit=366';

  it('is served without an upstream request, and has all days again once they are restored', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const name = `/${objectNames.series('24h', ID, Date.now())}`;
    const days = [...service.s3.objects.keys()].filter((path) => path.endsWith(name));
    expect(days).toHaveLength(1);
    const [path = ''] = days;
    const before = Buffer.from(service.s3.objects.get(path) ?? '');
    flip(9, days);
    const { 'roll-up': failure } = await service.runAll();
    expect(String(failure)).toContain('Candles: ');

    const upstream = service.upstream.length;
    const lacking = await service.ask('ohlcv', ID, YEARS);
    expect(service.upstream).toHaveLength(upstream);
    // What exchanges had of it is stored apart, and the hours of three days are read.
    expect(lacking).toMatchObject({ status: 200, headers: { 'x-data-quality': 'derived' } });

    service.s3.objects.set(path, before);
    expect(await service.run('roll-up')).toMatchObject({ days: [expect.any(String)] });

    const all = await service.ask('ohlcv', ID, YEARS);
    expect(service.upstream).toHaveLength(upstream);
    expect(all).toMatchObject({ status: 200, body: { data: { count: 366 } } });
    expect(all.headers['x-data-quality']).not.toBe('stale');
  });
});

describe('the table of stored objects', () => {
  it('lists exactly the objects that the jobs store', { timeout: TIMEOUT_MS }, () => {
    const paths = [...service.s3.objects.keys()].map((path) => path.replace(/^\/bucket\//, ''));
    expect(paths.filter((path) => !storedKindOf(path))).toEqual([]);
    const stored = new Set(paths.map(storedKindOf));
    const names = stores.filter((one) => !stored.has(one)).map(({ name }) => name);
    // No rate is held back here, and the export is off.
    // Nor does anybody request a ticker.
    expect(names).toEqual(['rates-held', 'fetched/<id>', '<interval>/<year>/<period>-<part>', 'manifest']);
  });
});

/** A proxy between the jobs and the store until the test ends, which refuses some writes and loses some responses. */
async function interfere(fateOf: (method: string, url: string) => 'refused' | 'lost' | undefined) {
  const between = await startLoopback(async (incoming, response) => {
    const content = await buffer(incoming);
    const { method = 'GET', url = '/', headers } = incoming;
    const fate = method === 'GET' ? undefined : fateOf(method, url);
    if (fate === 'refused') return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    const outgoing = request(new URL(url, service.s3.url), { method, headers }, (answer) => {
      if (fate === 'lost') return response.destroy();
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.end(content);
  });
  onTestFinished(() => between.close());
  vi.stubEnv('AWS_ENDPOINT_URL_S3', between.url);
  vi.resetModules();
}

describe('a run', () => {
  it.each(jobNames)(
    'of %s that ends at any write is completed by the next run, and two concurrent runs store the same as one',
    { timeout: TIMEOUT_MS },
    async (job) => {
      let writes = 0;
      let most = Infinity;
      await interfere(() => {
        writes += 1;
        return writes > most ? 'refused' : undefined;
      });
      const before = service.stored();
      vi.setSystemTime(Date.now() + 24 * HOUR_MS);
      /** A run of a new container, in which writes fail after a number of them. */
      const run = async (allowed = Infinity) => {
        writes = 0;
        most = allowed;
        vi.resetModules();
        return service.run(job);
      };
      expect(await run()).not.toBeInstanceOf(Error);
      const [expected, all] = [service.stored(), writes];

      // Most of a hundred writes merge one coin after the other, so a few of them are enough.
      for (let allowed = 0; allowed < all; allowed += Math.ceil(all / STOPS)) {
        service.restore(before);
        await run(allowed);
        await run();
        expect([allowed, differences(expected)]).toEqual([allowed, []]);
      }
      service.restore(before);
      const both = await Promise.all([run(), run()]);
      expect(both.filter((result) => !(result instanceof Error))).not.toEqual([]);
      expect(differences(expected)).toEqual([]);
    },
  );

  /** The paths of objects that differ. */
  function differences(expected: ReadonlyMap<string, Buffer>): string[] {
    const { objects } = service.s3;
    const paths = new Set([...expected.keys(), ...objects.keys()]);
    return [...paths].filter((path) => !expected.get(path)?.equals(objects.get(path) ?? Buffer.of()));
  }
});

describe('a put whose response is lost', () => {
  it('succeeds when it is repeated, in every job', { timeout: TIMEOUT_MS }, async () => {
    const lost = new Set<string>();
    await interfere((method, url) => {
      if (method !== 'PUT' || lost.has(url)) return undefined;
      lost.add(url);
      return 'lost';
    });

    const results = await service.runAll();

    expect(lost.size).toBeGreaterThan(10);
    for (const [job, result] of Object.entries(results))
      expect([job, result]).not.toContainEqual(expect.any(Error));
    expect(JSON.stringify(results)).not.toContain('another run was quicker');
    expect(await service.counted()).toMatchObject({ RegistryPublished: 1, SnapshotPublished: 1 });
  });
});
