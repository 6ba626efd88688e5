import { afterEach, beforeEach, vi } from 'vitest';

/** What every test of a file writes to stdout and stderr, which goes nowhere else; empty at its beginning. */
export function useWritten(): string[] {
  const written: string[] = [];
  beforeEach(() => {
    written.length = 0;
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        written.push(String(chunk));
        return true;
      });
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return written;
}
