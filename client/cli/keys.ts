import { Readable } from 'node:stream';
import type { Terminal } from './terminal.ts';

const CTRL_C = 0x03;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

type Input = Terminal['stdin'] & { setRawMode?(isRaw: boolean): unknown };

/** The keys of a terminal, for a reader that pauses them while a command runs. */
export interface Keys {
  /** What is typed while it is paused is kept: neither drawn nor lost. */
  readonly input: Readable;
  close(): void;
}

/**
 * A terminal's keys, a line at most in each chunk. Ctrl-C while they are paused calls `onInterrupt`, and what was typed
 * before it is forgotten, as a terminal does it (termios, NOFLSH).
 */
export function keysOf(stdin: Input, onInterrupt: () => void): Keys {
  const input = Object.assign(new Readable({ read() {} }), {
    setRawMode: (isRaw: boolean) => stdin.setRawMode?.(isRaw),
  });
  const kept: (Buffer | null)[] = [];
  const deliver = () => {
    while (kept.length > 0 && !input.isPaused()) input.push(kept.shift());
  };
  const take = (chunk: Buffer | string) => {
    for (const piece of piecesOf(Buffer.from(chunk))) {
      if (piece.at(-1) === CTRL_C && input.isPaused()) {
        kept.length = 0;
        onInterrupt();
      } else {
        kept.push(piece);
        deliver();
      }
    }
  };
  const end = () => {
    kept.push(null);
    deliver();
  };
  input.on('resume', deliver);
  stdin.on('data', take);
  stdin.on('end', end);
  stdin.resume(); // a question before the prompt leaves it paused
  return {
    input,
    close() {
      stdin.off('data', take);
      stdin.off('end', end);
      stdin.pause();
    },
  };
}

/** Each ends with the Enter key or with Ctrl-C, except for the last. */
function* piecesOf(chunk: Buffer): Generator<Buffer> {
  let start = 0;
  for (const [index, byte] of chunk.entries()) {
    const isEnd =
      byte === CTRL_C || byte === LINE_FEED || (byte === RETURN && chunk[index + 1] !== LINE_FEED);
    if (!isEnd) continue;
    yield chunk.subarray(start, index + 1);
    start = index + 1;
  }
  if (start < chunk.length) yield chunk.subarray(start);
}
