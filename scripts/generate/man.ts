/** Writes the manual pages of the terminal programs from the table of commands. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manPages } from '../man/pages.ts';

const folder = join(import.meta.dirname, '../../client/cli/man');
await mkdir(folder, { recursive: true });
for (const [file, text] of Object.entries(manPages())) {
  await writeFile(join(folder, file), text);
  console.log(`Written ${join(folder, file)}`);
}
