import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Variables } from './terminal.ts';

/** Of what the programs keep from one session to the next (XDG Base Directory Specification: state). */
function stateFile({ XDG_STATE_HOME, HOME }: Variables, name: string): string {
  return join(XDG_STATE_HOME || join(HOME || homedir(), '.local', 'state'), 'marketdata', name);
}

/** The text that was kept under this name; empty if there is none or it cannot be read. */
export function readState(env: Variables, name: string): string {
  try {
    return readFileSync(stateFile(env, name), 'utf8');
  } catch {
    return '';
  }
}

/** Keeps a text, for this user alone. What cannot be kept is no reason to fail. */
export function writeState(env: Variables, name: string, text: string): void {
  const file = stateFile(env, name);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  } catch {
    // The home is read-only; the session works without it.
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
