import { afterEach, beforeEach, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import type { Plan } from '../../local/simulated/coinpaprika.ts';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';
import { BUCKET } from './stored.ts';

/** The running day in tests that have a world. */
export const TODAY = Date.UTC(2026, 8, 18);

/** The servers of a function with a history. */
export interface World {
  readonly s3: S3Server;
  readonly provider: SimulatedSource;
}

/** Starts it anew for each test of a file, at a time of day, with the environment of functions. */
export function useWorld({ now, plan }: { readonly now: number; readonly plan: Plan }): () => World {
  let world: World | undefined;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now });
    withoutPace();
    world = { s3: await startStubbedS3(), provider: (await startSimulated({ plan })).provider };
    vi.stubEnv('NODE_ENV', 'test');
    vi.stubEnv('COINPAPRIKA_API_KEY', undefined);
    vi.stubEnv('COINPAPRIKA_BASE_URL', world.provider.url);
    vi.stubEnv('COINPAPRIKA_PLAN', plan === 'paid' ? 'ultimate' : plan);
    vi.stubEnv('HISTORY_BUCKET', BUCKET);
    vi.stubEnv('UPSTREAM_TIMEOUT_MS', '8000');
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await world?.provider.close();
    await world?.s3.close();
  });
  return () => {
    if (!world) throw new Error('There is a world in tests alone');
    return world;
  };
}

/** A function in a new container; its requests to S3 during loading are not recorded. */
export async function startCold<H>(s3: S3Server, load: () => Promise<{ readonly handler: H }>): Promise<H> {
  vi.resetModules();
  const { handler } = await load();
  s3.requests.length = 0;
  return handler;
}
