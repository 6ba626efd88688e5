import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Variables } from './terminal.ts';

const MAX_LINES = 500;

/** The file of the prompt's history (XDG Base Directory Specification: state). */
function historyFile({ XDG_STATE_HOME, HOME }: Variables): string {
  return join(XDG_STATE_HOME || join(HOME || homedir(), '.local', 'state'), 'marketdata', 'history');
}

/** The lines of earlier sessions, newest first; none if the file is missing or cannot be read. */
export function readHistory(env: Variables): string[] {
  try {
    return readFileSync(historyFile(env), 'utf8').split('\n').filter(Boolean).slice(0, MAX_LINES);
  } catch {
    return [];
  }
}

/** Keeps the lines, newest first. A history that cannot be kept is no reason to fail. */
export function writeHistory(env: Variables, lines: readonly string[]): void {
  const file = historyFile(env);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${lines.slice(0, MAX_LINES).join('\n')}\n`, { mode: 0o600 });
  } catch {
    // The home is read-only; the session works without a history.
  }
}
