// Plain JavaScript for any Node from 20 on. In the repository it runs the TypeScript source, with the Node 24 of the
// install if this one is older. In an installed package it runs the bundle, because Node strips no types there.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The package has none.
const source = new URL('run.ts', import.meta.url);
const bundle = new URL('dist/run.mjs', import.meta.url);
const repository = new URL('../../', import.meta.url);

/** @param {import('./settings.ts').Program} program */
export async function launch(program) {
  if (!existsSync(source)) {
    const { run } = await import(bundle.href);
    await run(program);
  } else if (Number.parseInt(process.versions.node, 10) >= 24) {
    const { run } = await import(source.href);
    await run(program);
  } else {
    runWithNode24();
  }
}

function runWithNode24() {
  const node = fileURLToPath(new URL('node_modules/.bin/node', repository));
  if (!existsSync(node)) {
    console.error(
      'Node 24 or newer is needed. Run npm ci: it brings one on Linux; elsewhere install it from https://nodejs.org.',
    );
    process.exit(1);
  }
  process.on('SIGINT', () => {}); // the other Node gets Ctrl-C too, and tidies up before it ends
  const { status, signal } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  process.removeAllListeners('SIGINT');
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
}
