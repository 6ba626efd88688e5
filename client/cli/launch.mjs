// Plain JavaScript for any Node from 20 on. An installed package contains a bundle. The repository runs a bundle too,
// rebuilt after each edit, since stripping the types of all sources doubles Node's start time. If this Node is too old,
// it runs the Node 24 of the install.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// The package has no build script.
const source = new URL('run.ts', import.meta.url);
const packaged = new URL('dist/run.mjs', import.meta.url);
const repository = new URL('../../', import.meta.url);
const bundler = new URL('scripts/build/cli-bundle.ts', repository);
const cache = new URL('node_modules/.cache/cli/', repository);

/** @param {import('./own-commands.ts').Program} program */
export async function launch(program) {
  if (!existsSync(source)) {
    const { run } = await import(packaged.href);
    await run(program);
  } else if (Number.parseInt(process.versions.node, 10) >= 24) {
    const { run } = await import((upToDate() ?? (await built()) ?? source).href);
    await run(program, fileURLToPath(repository));
  } else {
    await runWithNode24();
  }
}

/** The bundle, if none of its source files has changed. */
function upToDate() {
  try {
    const { folder, inputs } = JSON.parse(readFileSync(new URL('current.json', cache), 'utf8'));
    for (const [path, modified, size] of inputs) {
      const stats = statSync(new URL(path, repository));
      if (stats.mtimeMs !== modified || stats.size !== size) return undefined;
    }
    const bundle = new URL(`${folder}/run.mjs`, cache);
    if (!existsSync(bundle)) return undefined;
    module.enableCompileCache(fileURLToPath(new URL('compiled', cache)));
    return bundle;
  } catch {
    return undefined; // no bundle yet, or one of its files is missing
  }
}

async function built() {
  try {
    const { prebuild } = await import(bundler.href);
    await prebuild(fileURLToPath(source), fileURLToPath(cache));
    return upToDate();
  } catch {
    return undefined; // running the source reports the error, and works where the bundle cannot be written
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
  // A terminal sends Ctrl-C to both processes; other signals reach only this one.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [status, signal] = await once(child, 'exit');
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exitCode = status ?? 1;
}
