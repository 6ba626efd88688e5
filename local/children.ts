import type { ChildProcess } from 'node:child_process';

/** Ends a child with this process, however early that ends: `close()` can only end what has finished starting. */
export function killAtExit(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
