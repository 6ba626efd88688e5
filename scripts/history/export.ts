import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ExportTarget, exportHistory } from '../../shared/marketdata/parquet/export.ts';

/** Readers look for `*.parquet`. */
const UNFINISHED = '.unfinished';

/**
 * Exports a history into a folder and prints a summary. Returns false if nothing is stored for a requested coin, or at
 * all, or an object cannot be opened. Throws as `exportHistory` does.
 */
export async function exportTo(
  folder: string,
  options: Omit<Parameters<typeof exportHistory>[0], 'target'>,
): Promise<boolean> {
  removeUnfinished(folder);
  const { rows, written, kept, missing, damaged } = await exportHistory({
    ...options,
    target: folderTarget(folder),
  }).finally(() => removeUnfinished(folder));
  const count = rows.toLocaleString('en-US');
  console.log(`${count} candles in ${folder}: ${written} files written, ${kept} unchanged`);
  for (const name of damaged)
    console.error(`${name} cannot be opened, or not all of it: its candles are missing`);
  for (const id of missing) console.error(`Nothing is stored of ${id}: npx coinsearch finds ids`);
  if (rows === 0) console.error('Nothing is exported; candles of a running day are not');
  return rows > 0 && missing.length === 0 && damaged.length === 0;
}

/** The files of an export that failed, or was killed. */
function removeUnfinished(folder: string): void {
  const names = ['manifest.json', 'interval=*/year=*/*.parquet'].map((name) => name + UNFINISHED);
  for (const name of globSync(names, { cwd: folder })) rmSync(join(folder, name), { force: true });
}

/** The files of a period appear when all of them are written. */
function folderTarget(folder: string): ExportTarget {
  return {
    async read(name) {
      try {
        return readFileSync(join(folder, name));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(name, bytes) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path + UNFINISHED, bytes);
    },
    async complete(names) {
      for (const path of names.map((name) => join(folder, name))) renameSync(path + UNFINISHED, path);
      if (process.stderr.isTTY && names.length > 0) console.error(`Written ${names.join(', ')}`);
    },
  };
}
