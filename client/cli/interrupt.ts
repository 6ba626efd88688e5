/** The exit status of a command that Ctrl-C ended: 128 and the number of SIGINT, as a shell says it. */
export const CANCELLED = 130;

/** The outcome of the work, or undefined as soon as the signal is aborted: nobody waits for what is cancelled. */
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
