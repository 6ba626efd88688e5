import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Package {
  readonly name: string;
  readonly licence: string;
}

/**
 * The licences of the packages whose files a bundle is made of, each once, under the names of its packages: most of them
 * want that from whoever passes them on. Of a package without such a file it is the licence's name; empty if there are no
 * packages. `files` are paths from `root` on. Throws an Error for a package that says nothing of its licence.
 */
export async function bundledLicences(files: readonly string[], root: string): Promise<string> {
  const folders = new Set(
    files
      .map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
      .filter((folder) => folder !== undefined),
  );
  const packages = await Promise.all([...folders].sort().map((folder) => packageAt(folder, root)));
  return [...Map.groupBy(packages, ({ licence }) => licence)]
    .map(([licence, those]) => `${those.map(({ name }) => name).join(', ')}\n\n${licence}\n`)
    .join('\n\n');
}

async function packageAt(folder: string, root: string): Promise<Package> {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry));
  if (file !== undefined) {
    return { name, licence: (await readFile(join(root, folder, file), 'utf8')).trim() };
  }
  const { license }: { license?: unknown } = JSON.parse(
    await readFile(join(root, folder, 'package.json'), 'utf8'),
  );
  if (typeof license !== 'string') throw new Error(`${name} says nothing of its licence`);
  return { name, licence: license };
}
