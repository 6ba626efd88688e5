import { type LastSearch, lastSearchInMemory } from '../commands/last-search.ts';
import { readState, writeState } from './state.ts';
import type { Variables } from './terminal.ts';

const NAME = 'last-search.json';
/** Nobody means a list by a number that has left the screen long ago. */
const LIFETIME_MS = 3_600_000;

/** This process's last search, else that of another one, if it is less than an hour old. */
export function lastSearchOf(env: Variables, now: () => number): LastSearch {
  const own = lastSearchInMemory();
  return {
    remember(ids) {
      own.remember(ids);
      writeState(env, NAME, `${JSON.stringify({ time: new Date(now()).toISOString(), ids })}\n`);
    },
    count: () => own.count() || keptIds(env, now()).length,
    nth: (number) => (own.count() > 0 ? own.nth(number) : keptIds(env, now())[number - 1]),
  };
}

/** The ids in the file, which may be broken or of another version. */
function keptIds(env: Variables, now: number): readonly string[] {
  try {
    const kept: unknown = JSON.parse(readState(env, NAME));
    if (typeof kept !== 'object' || kept === null || !('time' in kept) || !('ids' in kept)) return [];
    const age = now - Date.parse(String(kept.time));
    const isFresh = age >= 0 && age < LIFETIME_MS;
    return isFresh && Array.isArray(kept.ids) ? kept.ids.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
