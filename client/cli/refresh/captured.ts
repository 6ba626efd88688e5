import { Writable } from 'node:stream';
import type { Result } from '../../commands/result.ts';
import { print } from '../print.ts';
import type { Settings } from '../settings.ts';
import type { Output, Terminal } from '../terminal.ts';

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
