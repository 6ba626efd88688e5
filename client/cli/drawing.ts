import { Writable } from 'node:stream';
import type { Output } from './terminal.ts';

/** The output of a line that is being typed. */
export interface Drawing {
  readonly output: Writable;
  close(): void;
}

/**
 * For readline, which draws its line again when the window is resized: nothing is drawn while a command runs, since the
 * cursor is in the middle of the output then.
 */
export function drawingOn(stdout: Output, isRunning: () => boolean): Drawing {
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isRunning()) stdout.write(chunk);
      done(); // whatever the command writes comes after it
    },
  });
  Object.defineProperty(output, 'columns', { get: () => stdout.columns });
  const resized = () => output.emit('resize');
  stdout.on('resize', resized);
  return { output, close: () => stdout.off('resize', resized) };
}
