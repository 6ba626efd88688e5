import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ExportTarget, exportHistory, type Selection } from '../../shared/marketdata/parquet/export.ts';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';
import type { BaseInterval } from '../../shared/marketdata/window.ts';
import { objectsOf } from '../../shared/platform/objects.ts';

/** Readers look for `*.parquet`. */
const UNFINISHED = '.unfinished';
const BAR_WIDTH = 30;

/**
 * Exports a history into a folder and prints what was done. Returns false if nothing is stored of a coin that is
 * wanted, or of any, or something of it cannot be opened. Throws as `exportHistory` does.
 */
export async function exportTo(
  folder: string,
  bases: readonly BaseInterval[],
  selection: Selection,
): Promise<boolean> {
  const { rows, written, kept, missing, damaged } = await exportHistory({
    source: objectsOf(selection.bucket, HISTORY_PREFIX),
    target: folderTarget(folder),
    ...{ selection, bases },
    progress: showProgress,
  });
  console.log(`${count(rows)} candles in ${folder}: ${written} files written, ${kept} unchanged`);
  for (const name of damaged)
    console.error(`${name} cannot be opened, or not all of it: its candles are missing`);
  for (const id of missing) console.error(`Nothing is stored of ${id}: npx coinsearch finds ids`);
  if (rows === 0) console.error('Nothing is exported; candles of a running day are not');
  return rows > 0 && missing.length === 0 && damaged.length === 0;
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
    },
  };
}

/** On a terminal alone. */
function showProgress(done: number, all: number, rows: number): void {
  if (!process.stderr.isTTY) return;
  const full = Math.round((BAR_WIDTH * done) / all);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
  process.stderr.write(
    `\r${bar} ${Math.floor((100 * done) / all)} %  ${count(rows)} candles${done < all ? '' : '\n'}`,
  );
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
