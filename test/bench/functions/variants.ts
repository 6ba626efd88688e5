import { join } from 'node:path';
import { build } from 'esbuild';
import { build as buildFunctions, bundleOptions } from '../../../scripts/build.ts';

export interface Variant {
  readonly name: string;
  readonly does: string;
  /** Holds its `index.mjs`. */
  readonly folder: string;
}

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
  }));
  const ours = {
    name: 'Ours',
    does: 'the shipped bundle: middy chain, compiled schema, and what the others leave out',
    folder: join(oursBelow(folder), 'marketdata-ticker'),
  };
  return [empty, handWritten, ours, ...frameworks].filter((variant) => variant !== undefined);
}

/** Where the bundles of all our functions are, each in its own folder; not `dist`, which others may be using. */
export function oursBelow(folder: string): string {
  return join(folder, 'ours');
}
