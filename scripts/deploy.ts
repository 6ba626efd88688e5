/** `npm run deploy -- [cdk options]`: builds with a registry of real coins, then `cdk deploy`. */
import { spawnSync } from 'node:child_process';
import { ensureRegistry } from '../registry-layer/ensure.ts';
import { build, buildPage } from './build.ts';

const source = process.env.REGISTRY_SOURCE || 'live';

if (source === 'simulated') {
  console.error(
    'A simulated coin registry is not deployed: unset REGISTRY_SOURCE (the list then comes from the provider), or name a list file.',
  );
  process.exit(1);
}
await Promise.all([build(), buildPage()]);
await ensureRegistry(source);
const { status } = spawnSync('cdk', ['deploy', ...process.argv.slice(2)], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
process.exitCode = status ?? 1;
