import { renameSync, rmSync, type WriteFileOptions, writeFileSync } from 'node:fs';

/**
 * Writes a file whole or not at all: under another name first, which has to be in the same file system. A write that fails, as
 * on a full disk, leaves nothing behind. Throws file system errors.
 */
export function writeWhole(
  path: string,
  content: string | Uint8Array,
  unfinished = `${path}.new`,
  options?: WriteFileOptions,
): void {
  try {
    writeFileSync(unfinished, content, options);
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
