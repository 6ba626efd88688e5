import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vi } from 'vitest';

/** One clock for a test and the processes of its service. It stands still unless it is moved. */
export interface Clock {
  /** Arguments of Node for the service, so that its functions' processes use this clock. */
  readonly execArgv: readonly string[];
  moveBy(ms: number): void;
  /** Gives the test its own time back. */
  close(): void;
}

/** Sets the clock to a moment, in milliseconds since the epoch. */
export function clockAt(start: number): Clock {
  const folder = mkdtempSync(join(tmpdir(), 'clock-'));
  const file = join(folder, 'now');
  const preload = pathToFileURL(join(import.meta.dirname, 'clock.mjs'));
  preload.searchParams.set('file', file);
  const set = (now: number) => {
    writeFileSync(`${file}.next`, String(now));
    renameSync(`${file}.next`, file); // a process that reads it now never finds it empty
    vi.setSystemTime(now);
  };
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  set(start);
  return {
    execArgv: ['--import', preload.href],
    moveBy: (ms) => set(Date.now() + ms),
    close() {
      vi.useRealTimers();
      rmSync(folder, { recursive: true });
    },
  };
}
