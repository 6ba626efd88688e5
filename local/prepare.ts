/** Bundles and synthesizes with the commands that a deployment uses, in processes of their own. */
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Where `cdk synth` writes. */
export const cloudAssembly = join(root, 'cdk.out');

/** `npm run build`, then `npm run synth`. Throws an Error with what the failing one printed. */
export async function buildAndSynthesize(): Promise<void> {
  // Fresh processes: this one would keep the route modules that it has once imported.
  await run('The build', ['scripts/build.ts']);
  await run('cdk synth', ['node_modules/aws-cdk/bin/cdk', 'synth', '--quiet', '--output', cloudAssembly]);
}

async function run(what: string, args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    // cdk.json names `node`: this one, also where the shell's is older.
    env: { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
