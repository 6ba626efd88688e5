import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** TypeScript as `npm run format` leaves it. Throws what Biome says if it cannot be read. */
export function formatted(source: string, file: string): string {
  const args = ['format', `--stdin-file-path=${file}`];
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/biome'), args, {
    cwd: root,
    encoding: 'utf8',
    input: source,
  });
  if (status !== 0) throw new Error(`${file} cannot be formatted: ${stderr}`);
  return stdout;
}
