/** The first request of the RPC proxy, with its node's URL in the environment and fetched in several ways. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from '../scripts/build.ts';
import { coldStartOf } from '../test/cold-start.ts';
import { respondRpc } from '../test/evm/node.ts';
import { eventOf } from '../test/pipeline/event.ts';
import { startLoopback } from '../test/pipeline/loopback.ts';
import { startSecretsManager } from '../test/secrets/secrets-manager.ts';
import { conditions } from './conditions.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: '15' } },
});
const rounds = Number(values.rounds);
const root = join(import.meta.dirname, '..');

interface Variant {
  readonly name: string;
  /** Stands in for shared/platform/secrets-manager.ts. */
  readonly module?: string;
  readonly isGiven?: boolean;
}

const variants: readonly Variant[] = [
  { name: 'in the environment', isGiven: true },
  { name: 'one signed call (shipped)' },
  { name: 'the SDK', module: 'sdk.ts' },
  { name: 'Powertools Parameters', module: 'powertools.ts' },
];

interface Figures {
  readonly initMs: number;
  readonly firstMs: number;
  readonly rssMb: number;
}

function inPlace(module: string): Plugin {
  return {
    name: 'in-place',
    setup({ onResolve }) {
      onResolve({ filter: /\/secrets-manager\.ts$/ }, () => ({
        path: join(import.meta.dirname, 'secrets', module),
      }));
    },
  };
}

async function buildVariant({ module }: Variant, outdir: string): Promise<void> {
  const plugins = [...(module ? [inPlace(module)] : []), ...bundleOptions.plugins];
  const entryPoints = { index: join(root, 'functions/rpc/proxy/handler.ts') };
  await build({ ...bundleOptions, plugins, entryPoints, outdir });
}

/** Bytes of the code that is loaded for the first secret: the file that fetches it and whatever that imports. */
async function fetchingBytes(folder: string): Promise<number> {
  const first = (await readdir(folder)).find((name) => /^(secrets-manager|sdk|powertools)-/.test(name));
  const seen = new Set(first ? [first] : []);
  let bytes = 0;
  for (const name of seen) {
    bytes += (await stat(join(folder, name))).size;
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, imported = ''] of text.matchAll(/from\s*"\.\/([^"]+)"/g)) seen.add(imported);
  }
  return bytes;
}

async function measure(folder: string, env: Record<string, string>): Promise<Figures> {
  const event = eventOf({
    method: 'POST',
    path: '/api/rpc/local',
    pathParameters: { chain: 'local' },
    body: '{"method":"eth_chainId"}',
  });
  const job = { bundle: pathToFileURL(join(folder, 'index.mjs')).href, event };
  const child = fork(join(import.meta.dirname, 'secrets/measure.mjs'), [JSON.stringify(job)], {
    env,
    execArgv: [],
  });
  const [figures] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof figures !== 'object') throw new Error(`No figures of ${folder}`);
  return figures as Figures; // as measure.mjs sends them
}

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;

const machine = conditions(`npm run bench secrets -- --rounds ${rounds}`);
const folder = await mkdtemp(join(tmpdir(), 'marketdata-bench-'));
const node = await startLoopback(respondRpc(() => ({ result: '0x7a69' })));
const manager = await startSecretsManager({ 'bench/url': node.url });
try {
  const folders = variants.map((_variant, index) => join(folder, String(index)));
  await Promise.all(variants.map((variant, index) => buildVariant(variant, folders[index] ?? '')));
  const figures = variants.map((): Figures[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const index of variants.keys()) {
      const LOCAL_RPC_URL = variants[index]?.isGiven ? node.url : 'secretsmanager:bench/url';
      const env = { NODE_ENV: 'test', ...manager.environment, LOCAL_RPC_URL };
      figures[index]?.push(await measure(folders[index] ?? '', env));
    }
  }
  console.log(`${machine}\n`);
  console.log(
    '| the URL comes | KB at init | KB more for the first secret | init ms | first answer ms | RSS MB |',
  );
  console.log('|---|--:|--:|--:|--:|--:|');
  for (const [index, { name, isGiven }] of variants.entries()) {
    const { initBytes } = await coldStartOf(folders[index] ?? '');
    const more = isGiven ? 0 : await fetchingBytes(folders[index] ?? '');
    const middle = (key: keyof Figures) => median((figures[index] ?? []).map((each) => each[key]));
    const cells = [initBytes / 1e3, more / 1e3, middle('initMs'), middle('firstMs'), middle('rssMb')];
    console.log(`| ${name} | ${cells.map((cell) => cell.toFixed(1)).join(' | ')} |`);
  }
  console.log(
    `\nMedians of ${rounds} interleaved rounds in fresh processes that had loaded node:http; Secrets Manager and node on loopback.`,
  );
} finally {
  await Promise.all([node.close(), manager.close()]);
  await rm(folder, { recursive: true, force: true });
}
