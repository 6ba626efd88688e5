import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_NAME } from '../shared/registry/format.ts';
import { parseManifest } from '../shared/registry/manifest.ts';
import { main, registryFolder } from './main.ts';

const root = join(import.meta.dirname, '..');
const LIFETIME_MS = 24 * 3_600_000;

/** Builds the layer unless it is of this source and code (if live, of the last 24 hours). Throws if that fails. */
export async function ensureRegistry(source: string): Promise<void> {
  if (isCurrent(source)) return;
  if ((await main(['--source', source])) !== 0) throw new Error('The coin registry was not built');
}

function isCurrent(source: string): boolean {
  if (source.endsWith('.json')) return false; // the list may be another by now
  try {
    const file = join(registryFolder, MANIFEST_NAME);
    const manifest = parseManifest(file, readFileSync(file, 'utf8'));
    const builtAt = Date.parse(manifest.builtAt);
    const isOfSource = manifest.source === source;
    const isYoung = source !== 'live' || Date.now() - builtAt < LIFETIME_MS;
    return isOfSource && isYoung && builtAt > codeChangedAt();
  } catch {
    return false; // none, or none that can be read, as one of another format version
  }
}

function codeChangedAt(): number {
  const files = globSync('{registry-layer,shared/registry}/**/*.ts', { cwd: root });
  return Math.max(...files.map((file) => statSync(join(root, file)).mtimeMs));
}
