import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Bench figures from which docs/cost.md is computed. */
export const MEASURED_FILE = join(import.meta.dirname, '../docs/measured.json');

/** Replaces the figures of one bench. */
export async function writeMeasured(name: 'ticker' | 'jobs', figures: object): Promise<void> {
  const before = JSON.parse(await readFile(MEASURED_FILE, 'utf8'));
  await writeFile(MEASURED_FILE, `${JSON.stringify({ ...before, [name]: figures }, null, 2)}\n`);
}
