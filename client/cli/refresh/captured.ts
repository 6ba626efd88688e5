import { Writable } from 'node:stream';
import type { ChartResult, FailureResult, PriceResult, Result } from '../../commands/result.ts';
import { print } from '../print.ts';
import type { Settings } from '../settings.ts';
import type { Output, Terminal } from '../terminal.ts';

export type Shown = PriceResult | ChartResult;

/** Where answers go that come one after the other. */
export interface RefreshOutput {
  /** `note` says when the next one is asked for. */
  show(result: Shown, note: string): void;
  /** After so many failures in a row; what was shown last stays. */
  fail(failure: FailureResult, failures: number, note: string): void;
  /** Leaves the last answer as it is. */
  end(): void;
}

/** What a result prints, before anybody has seen it. */
export interface Captured {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

/** The output of a result, as it would be on this terminal if it had so many lines less. */
export function captured(result: Result, settings: Settings, terminal: Terminal, reserved = 0): Captured {
  const stdout = standIn(terminal.stdout, reserved);
  const stderr = standIn(terminal.stderr, reserved);
  const status = print(result, settings, { ...terminal, stdout, stderr });
  return { stdout: stdout.text(), stderr: stderr.text(), status };
}

function standIn({ isTTY, columns, rows }: Output, reserved: number) {
  let text = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return Object.assign(output, {
    ...(isTTY !== undefined && { isTTY }),
    ...(columns !== undefined && { columns }),
    ...(rows !== undefined && { rows: rows - reserved }),
    text: () => text,
  });
}
