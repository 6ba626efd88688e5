import { basename, join } from 'node:path';
import type { RegistryEntry } from '../../shared/registry/types.ts';
import { simulatedEntries } from '../simulated/list.ts';
import { fileEntries } from './file.ts';
import { liveEntries } from './live.ts';

interface EntrySource {
  /** As the manifest names it. */
  readonly name: string;
  readonly read: (notice: (text: string) => void) => Promise<RegistryEntry[]>;
}

const cacheFile = join(import.meta.dirname, '../../.cache/registry/coins.json');

/** `live`, `simulated` or the path of a `.json` file; `undefined` for anything else. */
export function sourceOf(text: string): EntrySource | undefined {
  if (text === 'live') return { name: 'live', read: (notice) => liveEntries({ cacheFile, notice }) };
  if (text === 'simulated') return { name: 'simulated', read: async () => simulatedEntries() };
  if (text.endsWith('.json')) return { name: basename(text), read: () => fileEntries(text) };
  return undefined;
}
