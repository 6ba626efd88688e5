import { beforeEach, describe, expect, it, vi } from 'vitest';
import { registryStore } from '../../functions/marketdata/jobs/registry/publish.ts';
import { buildRegistry } from '../../registry-layer/build.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { coinOf, HOUR_MS, MINUTE_MS, NOW, useBatchWorld } from '../batch/world.ts';
import { call } from '../pipeline/event.ts';

const world = useBatchWorld();
const layer = Array.from({ length: 100 }, (_, index) => coinOf(`coin-${index}`, { rank: index + 1 }));
const newer = [...layer, coinOf('newcomer', { rank: 101 })];

/** A request, a minute after the last one. */
async function oncePerMinute(handler: LambdaHandler, path: string, pathParameters?: Record<string, string>) {
  vi.setSystemTime(Date.now() + MINUTE_MS);
  return call(handler, { path, pathParameters });
}

async function publish(builtAt: number): Promise<string> {
  const built = buildRegistry(newer, { source: 'live', builtAt: new Date(builtAt) });
  const store = registryStore('bucket');
  const { etag } = await store.published();
  await store.publish(built, etag);
  return built.manifest.version;
}

describe('the registry of a container with a request a minute', () => {
  beforeEach(async () => {
    vi.stubEnv('REGISTRY_BUCKET', 'bucket');
  });

  /** The container's layer, built when the world's clock stood there. */
  async function layerOf(builtAt: number): Promise<void> {
    vi.setSystemTime(builtAt);
    await world().putRegistry(layer);
    vi.setSystemTime(NOW);
  }
  async function coinHandler(): Promise<LambdaHandler> {
    return (await import('../../functions/marketdata/coin/handler.ts')).handler;
  }
  const coin = async (handler: LambdaHandler, id: string) =>
    oncePerMinute(handler, `/api/marketdata/coins/${id}`, { id });

  it('is the newer one from S3 after a few requests, if S3 is slower than a request waits', async () => {
    await layerOf(NOW - 25 * HOUR_MS);
    const version = await publish(NOW - HOUR_MS);
    world().s3.delayMs = 60;
    const handler = await coinHandler();

    const versions: unknown[] = [];
    for (let minute = 0; minute < 11; minute += 1) {
      versions.push((await coin(handler, 'coin-1')).headers['x-registry-version']);
    }
    expect(versions.slice(5)).toEqual(Array(6).fill(version)); // the third on an idle machine
  });

  it('has a coin that is newer than the layer in the first request for it', async () => {
    await layerOf(NOW - 25 * HOUR_MS);
    await publish(NOW - HOUR_MS);
    world().s3.delayMs = 60;

    expect(await coin(await coinHandler(), 'newcomer')).toMatchObject({
      status: 200,
      body: { data: { id: 'newcomer' } },
    });
  });

  it('does not read S3 while nothing is newer, nor for unknown ids', async () => {
    await layerOf(NOW - 25 * HOUR_MS);
    const handler = await coinHandler();
    for (let minute = 0; minute < 11; minute += 1) {
      expect(await coin(handler, 'nobody')).toMatchObject({ status: 404 });
    }
    expect(world().s3.requests).toEqual(['GET /bucket/registry/manifest.v3.json']);
  });

  it('is not one from the future, and a layer from the future is replaced', async () => {
    await layerOf(NOW - 25 * HOUR_MS);
    await publish(NOW + 365 * DAY_MS);
    const handler = await coinHandler();
    expect(await coin(handler, 'newcomer')).toMatchObject({ status: 404 });

    vi.resetModules();
    await layerOf(NOW + 365 * DAY_MS);
    const version = await publish(NOW - HOUR_MS);
    const { headers } = await coin(await coinHandler(), 'newcomer');
    expect(headers['x-registry-version']).toBe(version);
  });
});
