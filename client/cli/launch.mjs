// Plain JavaScript for any Node from 20 on. In the repository it runs the TypeScript source, with the Node 24 of the
// install if this one is older. In an installed package it runs the bundle, because Node strips no types there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The package has none.
const source = new URL('run.ts', import.meta.url);
const bundle = new URL('dist/run.mjs', import.meta.url);
const repository = new URL('../../', import.meta.url);

/** @param {import('./own-commands.ts').Program} program */
export async function launch(program) {
  if (!existsSync(source)) {
    const { run } = await import(bundle.href);
    await run(program);
  } else if (Number.parseInt(process.versions.node, 10) >= 24) {
    const { run } = await import(source.href);
    await run(program, fileURLToPath(repository));
  } else {
    await runWithNode24();
  }
}

async function runWithNode24() {
  const node = fileURLToPath(new URL('node_modules/.bin/node', repository));
  if (!existsSync(node)) {
    console.error(
      'Node 24 or newer is needed. Run npm ci: it brings one on Linux; elsewhere install it from https://nodejs.org.',
    );
    process.exit(1);
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // Ctrl-C reaches both, as a terminal sends it; the other signals only this one.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [status, signal] = await once(child, 'exit');
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exitCode = status ?? 1;
}
