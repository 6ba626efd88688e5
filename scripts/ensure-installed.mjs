// Plain JavaScript for any Node from 20 on: it runs before node_modules exists. Installs packages if they do not match
// the lock file, and checks that the scripts will find a Node that runs TypeScript. Arguments name further folders with
// lock files of their own.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const windows = process.platform === 'win32';

ensureInstalled(root, 'dependencies');
for (const folder of process.argv.slice(2))
  ensureInstalled(`${root}${folder}/`, `what ${folder}/ alone needs`);

const node = spawnSync('node', ['--version'], { encoding: 'utf8', shell: windows });
const version = node.stdout?.trim() ?? '';
if (Number(/^v(\d+)/.exec(version)?.[1] ?? 0) < 24) {
  console.error(
    `Node 24 or newer is needed and ${version || 'none'} was found. It comes with the install on Linux x64 and arm64; elsewhere install it from https://nodejs.org.`,
  );
  process.exit(1);
}

function ensureInstalled(folder, what) {
  const lock = `${folder}package-lock.json`;
  // A copy of the lock file of the last npm ci; it is deleted together with node_modules.
  const installed = `${folder}node_modules/.installed-lock.json`;
  if (existsSync(installed) && readFileSync(lock, 'utf8') === readFileSync(installed, 'utf8')) return;
  console.error(`Installing ${what} (npm ci) …`);
  const result = spawnSync(
    windows ? 'npm.cmd' : 'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell: windows },
  );
  if (result.status !== 0) {
    console.error('npm ci failed. Check that the npm registry can be reached, then run the command again.');
    process.exit(1);
  }
  copyFileSync(lock, installed);
}
