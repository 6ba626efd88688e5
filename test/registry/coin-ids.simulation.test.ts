import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { type Simulated, startSimulated } from '../../local/simulated/index.ts';
import { defaultCoins } from '../../local/simulated/market.ts';
import { wellKnownCoins } from '../../registry-layer/simulated/well-known.ts';
import { coinGeckoIdsIn } from '../../shared/registry/coingecko-ids.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';

const NOON = new Date().setUTCHours(12, 0, 0, 0);
const FOLDER = '/bucket/registry/';

/** CoinGecko's ids of our coins, which the job has to find. */
const known = new Map(
  wellKnownCoins.flatMap(({ id, coinGeckoId }) => (coinGeckoId === null ? [] : [[id, coinGeckoId] as const])),
);

describe('the daily job finds CoinGecko’s ids, against simulated sources and a real server in place of S3', () => {
  let s3: S3Server;
  let simulated: Simulated;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    s3 = await startStubbedS3();
    simulated = await startSimulated();
    for (const [name, value] of Object.entries(simulated.environment)) vi.stubEnv(name, value);
    for (const kind of ['REGISTRY', 'SNAPSHOT', 'SOURCES', 'HISTORY']) vi.stubEnv(`${kind}_BUCKET`, 'bucket');
    vi.resetModules();
    withoutPace();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
    await simulated.close();
    await s3.close();
  });

  const handlers = {
    snapshot: () => import('../../functions/marketdata/jobs/snapshot/handler.ts'),
    contracts: () => import('../../functions/marketdata/jobs/contracts/handler.ts'),
  };
  const jobRuns = async (job: keyof typeof handlers) => (await handlers[job]()).handler();
  async function run() {
    vi.setSystemTime(Date.now() + 1000);
    const { handler } = await import('../../functions/marketdata/jobs/registry/handler.ts');
    return handler();
  }
  const manifest = () => JSON.parse(String(s3.objects.get(`${FOLDER}manifest.v3.json`)));
  const table = () =>
    new Map(coinGeckoIdsIn(String(s3.objects.get(FOLDER + manifest().coinGeckoIds))).pairs());
  async function counted() {
    const { takeMetrics } = await import('../../shared/platform/metrics.ts');
    return JSON.parse(takeMetrics('n') ?? '');
  }

  it('publishes all known pairs and no others beside the index, in twelve requests, and three for markets', async () => {
    await jobRuns('snapshot');
    await jobRuns('contracts');
    const made = { provider: simulated.provider.calls.total, coingecko: simulated.coingecko.calls.total };

    const { ids, idsKept } = await run();

    expect(idsKept).toBeUndefined();
    const wrong = [...table()].filter(([ours, theirs]) => known.get(ours) !== theirs);
    expect(wrong).toEqual([]);
    expect(ids).toBe(table().size);
    expect(ids / known.size).toBeGreaterThan(0.98);
    expect(table().get('fxs-frax-share')).toBe('frax-share');
    expect(simulated.provider.calls.total - made.provider).toBe(4);
    expect(simulated.coingecko.calls.total - made.coingecko).toBeLessThanOrEqual(11);
  });

  it('and a container that loads the published registry has them', async () => {
    await jobRuns('snapshot');
    await run();
    vi.stubEnv('REGISTRY_PATH', '/nowhere');
    vi.resetModules();
    const { coinGeckoIds } = await import('../../shared/registry/coingecko-ids.ts');
    const settings = { REGISTRY_BUCKET: 'bucket' };
    await vi.waitFor(async () => expect((await coinGeckoIds(settings)).size).toBeGreaterThan(200));
    expect((await coinGeckoIds(settings)).ours('ripple')).toBe('xrp-xrp');
  });

  it.each([
    ['fails', 'status=503'],
    ['sends something else', 'wrongshape'],
  ])('keeps the last ones if the source %s, and publishes the registry', async (_how, fault) => {
    await jobRuns('snapshot');
    await run();
    const last = table();
    simulated.coingecko.setFault(fault);

    expect(await run()).toMatchObject({ published: true, ids: last.size, idsKept: expect.any(String) });
    expect(table()).toEqual(last);
    expect(await counted()).toMatchObject({ RegistryPublished: 2, CoinIdsKept: 1 });
  });

  it('removes a pair that its prices contradict, and keeps all if a fifth would go', async () => {
    await jobRuns('snapshot');
    await run();
    const last = table();
    const withPair = (pairs: ReadonlyMap<string, string>) => {
      const text = [...pairs].map(([ours, theirs]) => `${ours}\t${theirs}\n`).join('');
      s3.objects.set(FOLDER + manifest().coinGeckoIds, Buffer.from(text));
    };
    withPair(new Map([...last, ['btc-bitcoin', 'dash-2']]));

    expect(await run()).toMatchObject({ ids: last.size });
    expect(table().get('btc-bitcoin')).toBe('bitcoin');
    expect(await counted()).toMatchObject({ CoinIdsWithdrawn: 1 });

    const many = Array.from({ length: 100 }, (_, index) => [`gone-${index}`, `gone-${index}`] as const);
    withPair(new Map([...last, ...many]));
    expect(await run()).toMatchObject({
      ids: last.size + 100,
      idsKept: expect.stringContaining('pairs after'),
    });
  });

  it('keeps the pair of a coin that is no longer traded, for its past', async () => {
    await jobRuns('snapshot');
    await run();
    const theirs = table().get('zec-zcash');
    expect(theirs).toBe('zcash');
    await simulated.close();
    const coins = defaultCoins.map((coin) =>
      coin.id === 'zec-zcash' ? { ...coin, rank: 0, is_active: false } : coin,
    );
    simulated = await startSimulated({ coins });
    for (const [name, value] of Object.entries(simulated.environment)) vi.stubEnv(name, value);
    vi.resetModules();
    withoutPace();

    for (let runs = 0; runs < 2; runs += 1) {
      expect((await run()).idsKept).toBeUndefined();
      expect(table().get('zec-zcash')).toBe('zcash');
    }
  });

  it('publishes none, without a request, if it is turned off', async () => {
    vi.stubEnv('ID_SOURCES', '');
    expect(await run()).toMatchObject({ published: true, ids: 0 });
    expect(manifest()).not.toHaveProperty('coinGeckoIds');
    expect(simulated.coingecko.calls.total).toBe(0);
  });
});
