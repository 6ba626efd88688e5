import { vi } from 'vitest';

/** Runs a command of `scripts/` in this process; what it prints is collected as a terminal would show it. */
export async function runHere(main: (args: readonly string[]) => Promise<number>, args: readonly string[]) {
  const printed = { stdout: '', stderr: '' };
  const log = vi.spyOn(console, 'log').mockImplementation((text) => {
    printed.stdout += `${text}\n`;
  });
  const error = vi.spyOn(console, 'error').mockImplementation((text) => {
    printed.stderr += `${text}\n`;
  });
  try {
    const code = await main(args);
    return { ...printed, code };
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
}
