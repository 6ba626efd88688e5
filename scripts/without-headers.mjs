// Runs after every install. The Node that comes as a package brings the C headers for compiling native add-ons along,
// 68 MB that nothing here uses.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const machine of ['x64', 'arm64']) {
  rmSync(`${root}node_modules/node-linux-${machine}/include`, { recursive: true, force: true });
}
