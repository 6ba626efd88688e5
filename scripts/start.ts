/** `npm start`: the server, built anew when its sources have changed, or with `--lambda` the emulator. */
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const built = join(root, 'dist/server/start.mjs');
const sources = '{functions,shared,registry-layer,server,http-api,client}/**';
const others = [
  'package-lock.json',
  'docs/openapi.json',
  'scripts/build.ts',
  'scripts/build/*.ts',
  'local/simulated/*.ts',
];

/** Whether the server is as old as its sources, or older. A deleted file is seen by its folder. */
function isOutdated(): boolean {
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  const files = globSync([sources, ...others], {
    cwd: root,
    exclude: ['**/*.test.ts', 'client/sdk/dist/**'],
  });
  return files.some(
    (file) => (statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) >= builtAt,
  );
}

/** In a process of its own, because the bundlers set variables of theirs. Throws an Error with what it printed if it fails. */
async function build(): Promise<void> {
  const { run } = await import('../local/prepare.ts');
  await run('The build', ['scripts/build.ts', '--server']);
}

/** Goes on with a program in this process, as if it had been started. */
async function goOnWith(program: string, args: readonly string[]): Promise<void> {
  process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...args);
  await import(pathToFileURL(program).href);
}

const own = ['--watch', '--no-build'];
const args = process.argv.slice(2);
const rest = args.filter((arg) => !own.includes(arg));
if (args.includes('--lambda')) {
  const emulator = join(root, 'local/main.ts');
  await goOnWith(
    emulator,
    args.filter((arg) => arg !== '--lambda'),
  );
} else if (args.includes('--help') || args.includes('-h')) {
  await goOnWith(join(root, 'server/start.ts'), rest);
} else {
  if (!args.includes('--no-build') && isOutdated()) {
    console.error('Building …');
    await build().catch((error: Error) => {
      console.error(error.message);
      process.exit(1);
    });
  }
  if (args.includes('--watch')) {
    const { watchAndServe } = await import('../local/watch.ts');
    const { onEnd } = await import('../shared/platform/signals.ts');
    const { close } = watchAndServe(built, rest, build, console.error);
    onEnd(async () => {
      await close();
      process.exit(0);
    });
  } else await goOnWith(built, rest);
}
