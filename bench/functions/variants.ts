import { join } from 'node:path';
import { build } from 'esbuild';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { ensureRegistry, registryFolder } from '../../registry-layer/main.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { build as buildFunctions, bundleOptions } from '../../scripts/build.ts';

export interface Variant {
  readonly name: string;
  readonly does: string;
  /** Holds its `index.mjs`. */
  readonly folder: string;
  /** The folder of the coin registry, if it looks for one. */
  readonly registry: string;
}

/** The variants that the verdicts are about. */
export const OURS = 'Ours';

const comparisons = [
  ['empty', 'Empty handler', 'answers 200 and nothing else: the floor'],
  ['hand-written', 'Hand-written', 'plain functions'],
  ['hono', 'Hono', '`hono/aws-lambda`, two middlewares, `hono/validator`'],
  ['powertools', 'Powertools router', '`event-handler/http`, two middlewares, check in the handler'],
  ['express', 'Express', '`serverless-http`, two middlewares, check in the handler'],
  ['fastify', 'Fastify', '`@fastify/aws-lambda`, two `onRequest` hooks, JSON schema of the path'],
] as const;

// Fastify and Express are CommonJS, which calls `require` for Node's modules; an ES module has none of its own.
const requireBanner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
const commonJs: readonly string[] = ['express', 'fastify'];

/** Builds our functions as they are shipped, and every comparison handler with the same options. */
export async function buildVariants(folder: string): Promise<Variant[]> {
  await buildFunctions(oursBelow(folder));
  await ensureRegistry('simulated');
  await Promise.all(
    comparisons.map(([id]) =>
      build({
        ...bundleOptions,
        entryPoints: { index: join(import.meta.dirname, `${id}.ts`) },
        outdir: join(folder, id),
        banner: { js: commonJs.includes(id) ? requireBanner : '' },
      }),
    ),
  );
  const [empty, handWritten, ...frameworks] = comparisons.map(([id, name, does]) => ({
    name,
    does,
    folder: join(folder, id),
    registry: registryFolder,
  }));
  const ours = {
    name: OURS,
    does: 'the shipped bundle: middy chain, compiled schema, and whatever else the others leave out',
    folder: join(oursBelow(folder), 'marketdata-ticker'),
    registry: await registryOfOneCoin(folder),
  };
  const oursWithCoins = {
    ...ours,
    name: `${OURS}, 56,000 coins`,
    does: 'the same with the whole coin registry opened at init, which none of the others has',
    registry: registryFolder,
  };
  return [empty, handWritten, ours, oursWithCoins, ...frameworks].filter((variant) => variant !== undefined);
}

/** As little as the chain can do with, so that it is compared with what has no registry at all. */
async function registryOfOneCoin(folder: string): Promise<string> {
  const registry = join(folder, 'registry');
  await writeRegistry(registry, buildRegistry(simulatedEntries(1), { source: 'bench' }));
  return registry;
}

/** The bundles of all our functions, each in its own folder; not `dist`, which others may be using. */
export function oursBelow(folder: string): string {
  return join(folder, 'ours');
}
