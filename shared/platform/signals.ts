const PARENT_CHECK_MS = 250;

/**
 * Calls `end` at the signals that ask a program to end. npm passes one to the shell of its script, which ends without passing it
 * on: the program then gets another parent. Without npm a new parent means nothing.
 */
export function onEnd(end: () => unknown): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_CHECK_MS).unref();
}
