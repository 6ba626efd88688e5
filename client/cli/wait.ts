import type { Output, Variables } from './terminal.ts';

/** The exit status after Ctrl-C: 128 plus the number of SIGINT, as in a shell. */
export const CANCELLED = 130;

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const FRAME_MS = 80;
/** A fast command shows no spinner. */
const PATIENCE_MS = 150;
const ERASE_LINE = '\r\u001b[K';

/** Waits for `work` with a spinner on an interactive stderr; elsewhere it just waits. */
export async function spinning<T>(work: Promise<T>, stderr: Output, { TERM }: Variables): Promise<T> {
  if (stderr.isTTY !== true || TERM === 'dumb') return await work;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    stderr.write(`${ERASE_LINE}${FRAMES[frame % FRAMES.length]} Loading …`);
    frame += 1;
    timer = setTimeout(draw, FRAME_MS);
  };
  timer = setTimeout(draw, PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (frame > 0) stderr.write(ERASE_LINE);
  }
}

/** The outcome of the work, or undefined as soon as the signal is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  if (!signal) return await work;
  let abort = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => resolve(undefined);
  });
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
