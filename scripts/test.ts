/**
 * `npm test`: types and lint beside build and synth, then every test but the long ones, which `npm run test:long` runs.
 * Arguments go to Vitest.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs an npm script and prints how long it took. If it fails, its output is printed and everything ends. */
async function step(name: string, ...args: string[]): Promise<void> {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', name, '--', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [code, ...printed] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  console.log(
    `${name} ${code === 0 ? '' : 'failed after '}${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  if (code === 0) return;
  console.error(printed.join(''));
  process.exit(1);
}

async function buildAndSynthesize(): Promise<void> {
  await step('build');
  // The stage with every route: the service is tested as this template describes it.
  await step('synth', '--quiet', '-c', 'stage=local');
}

await Promise.all([step('check'), buildAndSynthesize()]);
const args = process.argv.slice(2);
const projects = args.includes('--project') ? [] : ['--project', '!long'];
const vitest = spawn('vitest', ['run', ...projects, ...args], { stdio: 'inherit' });
vitest.on('close', (code) => process.exit(code ?? 1));
