/** Builds and synthesizes with a deployment's commands, in processes of their own. */
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { routes } from '../functions/routes.ts';
import type { LocalEnvironment } from './function-environment.ts';
import { killAtExit } from './loopback.ts';
import type { ChosenProvider } from './provider-choice.ts';

const root = join(import.meta.dirname, '..');

/** The output of `cdk synth`. */
export const cloudAssembly = join(root, 'cdk.out');

/**
 * Runs `npm run build` with the coin registry of a source, then `npm run synth`. Throws an Error with the output of the
 * one that fails.
 */
async function buildAndSynthesize(
  registrySource: string,
  stage: string,
  buildArgs: readonly string[],
): Promise<void> {
  // Separate processes: this one would keep route modules that it has already imported.
  await run('The build', ['scripts/build.ts', ...buildArgs], { REGISTRY_SOURCE: registrySource });
  await synthesize(stage, cloudAssembly);
}

/** Synthesizes a stage from the build output. Throws an Error with the CDK's output. */
export async function synthesize(stage: string, folder: string): Promise<void> {
  const cdk = ['node_modules/aws-cdk/bin/cdk', 'synth', '--quiet', '-c', `stage=${stage}`];
  await run('cdk synth', [...cdk, '--output', folder]);
}

/** The stage in infra/config.ts: with a chain or a route's secret, the one that has the protocol routes. */
function stageFor(env: LocalEnvironment, chain: string | undefined): string {
  const secrets = routes.flatMap(({ allSecrets }) => allSecrets);
  return chain || secrets.some((name) => env[name]) ? 'local' : 'dev';
}

/**
 * Builds and synthesizes with the provider's registry: REGISTRY_SOURCE, else the provider's own list, or the simulated one.
 * A configured provider may have no list; then the simulated one is used, with a notice.
 */
export async function prepareFor(
  kind: ChosenProvider['kind'],
  env: LocalEnvironment,
  log: (line: string) => void,
  { chain, inspect }: { readonly chain?: 'local' | undefined; readonly inspect?: string | undefined } = {},
): Promise<void> {
  const { REGISTRY_SOURCE: source } = env;
  const stage = stageFor(env, chain);
  const buildArgs = inspect === undefined ? [] : ['--source-maps'];
  if (source || kind !== 'given') return buildAndSynthesize(source || kind, stage, buildArgs);
  try {
    await buildAndSynthesize('live', stage, buildArgs);
  } catch (error) {
    log(`${error instanceof Error ? error.message : error}\nGoing on with the simulated coin registry.`);
    await buildAndSynthesize('simulated', stage, buildArgs);
  }
}

/** Runs Node at the root of the repository, in silence. Throws an Error with all that it printed if it fails. */
export async function run(
  what: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    // cdk.json calls `node`: this puts the running Node first, even if the shell's is older.
    env: {
      ...process.env,
      ...environment,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killAtExit(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on('error', reject).on('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`${what} failed:\n${printed.trim()}`);
}
