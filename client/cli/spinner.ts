import type { Output, Variables } from './terminal.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const FRAME_MS = 80;
/** A quick answer shows no spinner at all. */
const PATIENCE_MS = 150;
const ERASE_LINE = '\r\u001b[K';

/** Waits for `work` with a spinner on an interactive stderr; anywhere else it just waits. */
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
