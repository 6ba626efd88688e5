/** This project's ticker endpoint beside the same endpoint without a framework, and on Hono. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { route as ticker } from '../../functions/marketdata/ticker/route.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { bundleOptions, functionId } from '../../scripts/build.ts';
import { KEY } from '../deployed.ts';
import type { Contestant } from './containers.ts';
import { eventOf } from './events.ts';

/** The contestants that are compared. */
export const names = { ours: 'ours', handWritten: 'hand-written', hono: 'Hono' } as const;

export const WARM_CALLS = 10_000;
const others = { empty: 'empty handler', 'hand-written': names.handWritten, hono: names.hono } as const;

/**
 * All of them, bundled with the same options and served by the same upstream; ours has a registry of one coin, its
 * minimum. `bundles`: of our functions.
 */
export async function foundations(
  folder: string,
  bundles: string,
  upstreamUrl: string,
): Promise<Contestant[]> {
  const registry = join(folder, 'registry-of-one');
  await writeRegistry(registry, buildRegistry(simulatedEntries(1), { source: 'bench' }));
  await Promise.all(
    Object.keys(others).map((id) =>
      build({
        ...bundleOptions,
        entryPoints: { index: join(import.meta.dirname, `foundations/${id}.ts`) },
        outdir: join(folder, id),
      }),
    ),
  );
  const common = {
    memoryMb: ticker.memoryMb,
    warmCalls: WARM_CALLS,
    environment: {
      ...{ NODE_ENV: 'production', CLIENT_API_KEY: KEY, REGISTRY_PATH: registry },
      COINPAPRIKA_BASE_URL: upstreamUrl,
    },
    event: eventOf(ticker, { id: 'btc-bitcoin' }),
  };
  return [
    ...Object.entries(others).map(([id, name]) => ({ ...common, name, folder: join(folder, id) })),
    { ...common, name: names.ours, folder: join(bundles, functionId(ticker.name)) },
  ];
}
