import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { inject, onTestFinished } from 'vitest';

const clock = join(import.meta.dirname, 'fixed-clock.mjs');
/** A process needs a second to start on a busy machine. */
const PATIENCE_MS = 15_000;

export const keys = {
  enter: '\r',
  tab: '\t',
  escape: '\u001b',
  up: '\u001b[A',
  down: '\u001b[B',
  backspace: '\u007f',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
} as const;

export interface ScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** The address of the service. */
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The time at which the program's clock stands, in ISO 8601; left out, it runs. */
  readonly time?: string;
  /** The home of the user, so that a second program finds what the first one kept; by default a new one. */
  readonly home?: string;
}

/** A program in a terminal, as its user sees it. It ends with the test. */
export interface Screen {
  /** The user's home folder. */
  readonly home: string;
  /** The lines that the window shows, without spaces at their ends and without empty lines at the bottom. */
  lines(): string[];
  text(): string;
  /** All lines, those that have left the window at its top too. */
  allLines(): string[];
  /** The place of the cursor, counted from 0. */
  cursor(): { readonly column: number; readonly row: number };
  /** Everything that the program wrote, with its control sequences. */
  written(): string;
  /** Presses keys, see `keys`. */
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Ends the program by a signal. */
  kill(signal: 'SIGTERM'): void;
  /** Waits until the window shows this; throws with what it shows instead. */
  shows(expected: string | RegExp): Promise<void>;
  /** Waits for the end of the program: its exit status, or 128 and the number of the signal that ended it. */
  ended(): Promise<number>;
}

/** Runs a terminal program in a pseudo-terminal, 80 × 24 by default. Only inside a test. */
export function openScreen(program: string, args: readonly string[], options: ScreenOptions = {}): Screen {
  const { columns = 80, rows = 24, url, env = {}, time } = options;
  const home = options.home ?? newHome();
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true });
  const pty = spawn(process.execPath, [join(inject('programs'), `${program}.mjs`), ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LANG: 'C.UTF-8',
      ...(url && { MARKETDATA_URL: url }),
      ...(time && { NODE_OPTIONS: `--import=${clock}`, FIXED_TIME: time }),
      ...env,
    },
  });
  let written = '';
  let status: number | undefined;
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  pty.onData((data) => {
    written += data;
    terminal.write(data, changed);
  });
  terminal.onData((reply) => pty.write(reply)); // such as where the cursor is
  pty.onExit(({ exitCode, signal }) => {
    // After all that was written before.
    terminal.write('', () => {
      status = signal ? 128 + signal : exitCode;
      changed();
    });
  });
  onTestFinished(() => {
    if (status === undefined) pty.kill('SIGKILL');
    terminal.dispose();
  });

  const buffer = () => terminal.buffer.active;
  const allLines = (from = 0) => {
    const lines = Array.from({ length: buffer().length - from }, (_, row) =>
      (
        buffer()
          .getLine(from + row)
          ?.translateToString(true) ?? ''
      ).trimEnd(),
    );
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  };
  const lines = () => allLines(buffer().baseY);
  const text = () => lines().join('\n');

  async function until(isSo: () => boolean, what: () => string): Promise<void> {
    if (isSo()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        listeners.delete(listener);
        reject(new Error(`${what()}; the screen shows:\n${text()}`));
      }, PATIENCE_MS);
      const listener = () => {
        if (!isSo()) return;
        clearTimeout(timer);
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
    });
  }

  return {
    home,
    lines,
    text,
    allLines: () => allLines(),
    cursor: () => ({ column: buffer().cursorX, row: buffer().cursorY }),
    written: () => written,
    type: (typed) => pty.write(typed),
    kill: (signal) => pty.kill(signal),
    resize(newColumns, newRows) {
      terminal.resize(newColumns, newRows);
      pty.resize(newColumns, newRows);
    },
    shows: (expected) =>
      until(
        () =>
          !terminal.modes.synchronizedOutputMode && // a frame comes in pieces, between marks of its begin and end
          (typeof expected === 'string' ? text().includes(expected) : expected.test(text())),
        () => `the screen never showed ${expected}`,
      ),
    async ended() {
      await until(
        () => status !== undefined,
        () => 'the program did not end',
      );
      return status ?? 0;
    },
  };
}

function newHome(): string {
  const home = mkdtempSync(join(inject('runFolder'), 'home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}
