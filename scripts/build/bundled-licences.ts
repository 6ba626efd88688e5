import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The licences of the packages whose files a bundle is made of, each under the package's name, as most of them want it
 * from whoever passes them on; empty if there are none. Of a package without such a file it is the licence's name. `files` are paths from `root` on. Throws an Error
 * for a package without a licence.
 */
export async function bundledLicences(files: readonly string[], root: string): Promise<string> {
  const packages = new Set(
    files
      .map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
      .filter((folder) => folder !== undefined),
  );
  const texts = await Promise.all([...packages].sort().map((folder) => licenceOf(folder, root)));
  return texts.join('\n\n');
}

async function licenceOf(folder: string, root: string): Promise<string> {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry));
  if (file !== undefined) return `${name}\n\n${(await readFile(join(root, folder, file), 'utf8')).trim()}\n`;
  const { license }: { license?: unknown } = JSON.parse(
    await readFile(join(root, folder, 'package.json'), 'utf8'),
  );
  if (typeof license !== 'string') throw new Error(`${name} says nothing of its licence`);
  return `${name}\n\n${license}\n`;
}
