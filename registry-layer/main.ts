import { globSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from '../shared/platform/command.ts';
import { DAY_MS } from '../shared/platform/time.ts';
import { idSource } from '../shared/providers/sources.ts';
import { MANIFEST_NAME, parseManifest } from '../shared/registry/manifest.ts';
import { buildRegistry, writeRegistry } from './build.ts';
import { matchCommand } from './match-command.ts';
import { type EntrySource, sourceOf } from './sources.ts';

/** The layer's content; the folder above it becomes `/opt`. */
export const registryFolder = join(import.meta.dirname, '../dist/layers/registry/registry');

const usage = `Usage: npm run registry -- --source live|simulated|<file.json> [--out <folder>]

       npm run registry -- match --help

Builds the coin registry's index and its manifest; \`match\` shows which coin is which elsewhere.

  --source live         the provider's list of coins, kept for 24 hours, and the ids of the source in ID_SOURCES
  --source simulated    56,000 generated entries around well-known coins
  --source <file.json>  a list in the provider's format
  --out <folder>        where to write (default ${relative('.', registryFolder) || '.'})`;

/** Runs the command and returns its exit status: 0 done, 1 failed, 2 wrong usage. */
export async function main(args: readonly string[]): Promise<number> {
  if (args[0] === 'match') return matchCommand(args.slice(1));
  return runProgram(args, usage, 'The registry was not built', () => {
    const options = { source: { type: 'string' }, out: { type: 'string' } } as const;
    const { source: name, out = registryFolder } = parseArgs({ args: [...args], options }).values;
    if (name === undefined) throw new Error('--source is missing');
    const source = sourceOf(name);
    if (!source) throw new Error(`Unknown source: ${name}`);
    return () => buildInto(out, source);
  });
}

async function buildInto(out: string, source: EntrySource): Promise<void> {
  const notice = (text: string) => console.error(text);
  try {
    const entries = await source.read(notice);
    const pairs = await source.match(entries, notice);
    const built = buildRegistry(entries, { source: source.name, pairs, progress: showStep });
    await writeRegistry(out, built);
    showStep('');
    const { manifest, bytes } = built;
    console.log(
      `${manifest.entries} entries (${manifest.active} active${pairs ? `, ${pairs.size} with ${idSource.title}'s ids` : ''}), ${bytes.byteLength} bytes, version ${manifest.version}: ${out}`,
    );
  } catch (error) {
    showStep('');
    throw error;
  }
}

/** Shows the current step, on a terminal only. */
function showStep(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${step}`);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

const root = join(import.meta.dirname, '..');

/**
 * Builds the layer unless it has been built from this source by this code, and if live in the last 24 hours. Throws if that
 * fails.
 */
export async function ensureRegistry(source: string): Promise<void> {
  if (isCurrent(source)) return;
  if ((await main(['--source', source])) !== 0) throw new Error('The coin registry was not built');
}

function isCurrent(source: string): boolean {
  if (source.endsWith('.json')) return false; // the list may have changed
  try {
    const file = join(registryFolder, MANIFEST_NAME);
    const manifest = parseManifest(file, readFileSync(file, 'utf8'));
    const builtAt = Date.parse(manifest.builtAt);
    const isOfSource = manifest.source === source;
    const isYoung = source !== 'live' || Date.now() - builtAt < DAY_MS;
    return isOfSource && isYoung && builtAt > codeChangedAt();
  } catch {
    return false; // missing or unreadable, such as one of another format version
  }
}

function codeChangedAt(): number {
  const files = globSync('{registry-layer,shared/registry}/**/*.ts', { cwd: root });
  return Math.max(...files.map((file) => statSync(join(root, file)).mtimeMs));
}
