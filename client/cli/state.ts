import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LastSearch, lastSearchInMemory } from '../commands/coins.ts';
import type { Variables } from './terminal.ts';

/** Folder of data that the programs keep between sessions (XDG Base Directory Specification: state). */
function stateFile({ XDG_STATE_HOME, HOME }: Variables, name: string): string {
  return join(XDG_STATE_HOME || join(HOME || homedir(), '.local', 'state'), 'marketdata', name);
}

/** The text stored under this name; empty if it does not exist or cannot be read. */
function readState(env: Variables, name: string): string {
  try {
    return readFileSync(stateFile(env, name), 'utf8');
  } catch {
    return '';
  }
}

/** Stores a text, readable only by this user. A failure to store it is ignored. */
function writeState(env: Variables, name: string, text: string): void {
  const file = stateFile(env, name);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  } catch {
    // The home folder may be read-only; the session works without it.
  }
}

const HISTORY = 'history';
const MAX_LINES = 500;

/** The lines of the prompt's earlier sessions, newest first. */
export function readHistory(env: Variables): string[] {
  return readState(env, HISTORY).split('\n').filter(Boolean).slice(0, MAX_LINES);
}

export function writeHistory(env: Variables, lines: readonly string[]): void {
  writeState(env, HISTORY, `${lines.slice(0, MAX_LINES).join('\n')}\n`);
}

const NAME = 'last-search.json';
/** Older lists have usually left the screen, so their numbers no longer apply. */
const LIFETIME_MS = 3_600_000;

/** This process's last search, or another process's if it is less than an hour old. */
export function lastSearchOf(env: Variables, now: () => number): LastSearch {
  const own = lastSearchInMemory();
  return {
    remember(ids) {
      own.remember(ids);
      writeState(env, NAME, `${JSON.stringify({ time: new Date(now()).toISOString(), ids })}\n`);
    },
    ids: () => (own.ids().length > 0 ? own.ids() : keptIds(env, now())),
  };
}

/** The ids in the file, which may be broken or from another version. */
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
