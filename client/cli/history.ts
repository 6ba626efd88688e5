import { readState, writeState } from './state.ts';
import type { Variables } from './terminal.ts';

const NAME = 'history';
const MAX_LINES = 500;

/** The lines of earlier sessions, newest first; none if the file is missing or cannot be read. */
export function readHistory(env: Variables): string[] {
  return readState(env, NAME).split('\n').filter(Boolean).slice(0, MAX_LINES);
}

/** Keeps the lines, newest first. A history that cannot be kept is no reason to fail. */
export function writeHistory(env: Variables, lines: readonly string[]): void {
  writeState(env, NAME, `${lines.slice(0, MAX_LINES).join('\n')}\n`);
}
