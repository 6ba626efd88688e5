/** Bundles the terminal programs into `client/cli/dist` for their npm package, where Node strips no types. */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundledLicences } from './build/bundled-licences.ts';
import { bundleForTerminal } from './build/cli-bundle.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'client/cli');
const outdir = join(folder, 'dist');

const { inputs } = await bundleForTerminal(join(folder, 'run.ts'), outdir);
await copyFile(join(root, 'LICENSE'), join(outdir, 'LICENSE'));
const licences = await bundledLicences(Object.keys(inputs), root);
if (licences !== '') await writeFile(join(outdir, 'LICENSES-OF-OTHERS'), licences);
