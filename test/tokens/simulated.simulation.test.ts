import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { type Simulated, startSimulated } from '../../local/simulated/index.ts';
import { priceAt } from '../../local/simulated/market.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { openTail } from '../../shared/marketdata/store/tail.ts';
import { parseEntries } from '../../shared/registry/entries.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';
import { BUCKET, TAIL } from './world.ts';

let s3: S3Server;
let simulated: Simulated;

beforeEach(async () => {
  s3 = await startStubbedS3();
  simulated = await startSimulated();
  const registry = mkdtempSync(join(inject('runFolder'), 'tokens-simulated-'));
  const coins: unknown = await (await fetch(`${simulated.provider.url}/coins`)).json();
  await writeRegistry(registry, buildRegistry(parseEntries(coins), { source: 'simulated' }));
  for (const name of ['SNAPSHOT_BUCKET', 'HISTORY_BUCKET', 'SOURCES_BUCKET']) vi.stubEnv(name, BUCKET);
  for (const [name, value] of Object.entries(simulated.environment)) vi.stubEnv(name, value);
  vi.stubEnv('COINPAPRIKA_API_KEY', undefined);
  vi.stubEnv('REGISTRY_PATH', registry);
  vi.resetModules();
  withoutPace();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await simulated.close();
  await s3.close();
});

it('prices what simulated chains trade, but for the few whose only contract is an impostor’s or off the others', async () => {
  const { handler: list } = await import('../../functions/marketdata/jobs/contracts/handler.ts');
  const { handler: price } = await import('../../functions/marketdata/jobs/tokens/handler.ts');
  expect(await list()).toMatchObject({ refused: [], unknown: ['xlm-stellar'] });
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let run = 1; run <= 3; run += 1) {
    await price();
    vi.setSystemTime(Date.now() + 600_000);
  }

  const { market } = simulated;
  const off = Array.from(openTail(s3.objects.get(TAIL) ?? Buffer.of()).rows(), ({ id, price: told, at }) => {
    const asset = market.asset(id);
    return { id, factor: asset ? told / priceAt(asset, at) : Number.NaN };
  });
  const wrong = off.filter(({ factor }) => Math.abs(factor - 1) > 0.06);
  expect(off.length).toBeGreaterThan(20);
  // The provider has not been asked about these yet, and their chain is the only one.
  expect(wrong.length).toBeLessThanOrEqual(off.length * 0.1);
});
