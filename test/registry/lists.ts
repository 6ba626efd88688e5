import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { parseEntries, type RegistryEntry } from '../../shared/registry/entries.ts';
import { openRegistryBytes, type Registry } from '../../shared/registry/registry.ts';
import { isLong } from '../setup/long.ts';

/** A list as the provider sends it; `npm run test:long` uses it if it lies beside the repository. */
const realList = join(import.meta.dirname, '../../../shared/provider/coins.json');

export interface TestList {
  readonly name: string;
  readonly entries: RegistryEntry[];
}

export const testLists: readonly TestList[] = [
  { name: 'the simulated list', entries: simulatedEntries() },
  ...(isLong && existsSync(realList)
    ? [{ name: 'the real list', entries: parseEntries(JSON.parse(readFileSync(realList, 'utf8'))) }]
    : []),
];

const built = new WeakMap<readonly RegistryEntry[], Registry>();

/** The registry of a list, built once for all files of a worker. */
export function registryOf(entries: readonly RegistryEntry[]): Registry {
  const known = built.get(entries);
  if (known) return known;
  const { bytes, manifest } = buildRegistry(entries, { source: 'test' });
  const registry = openRegistryBytes(bytes, manifest);
  built.set(entries, registry);
  return registry;
}
