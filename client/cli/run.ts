/** Entry point of the programs: `client/cli/launch.mjs` imports it with the program's name. */
import { runProgram } from './main.ts';
import type { Program } from './own-commands.ts';

export async function run(program: Program, repository?: string): Promise<void> {
  // A reader that stops early (`cchart BTC | head`) is not a failure.
  const { env, stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const interrupt = interrupted.signal;
  let endsBySignal = true;
  const terminal = {
    ...{ env, stdin, stdout, stderr, interrupt, repository },
    endWell() {
      endsBySignal = false;
    },
  };
  process.exitCode = await runProgram(program, process.argv.slice(2), terminal);
  // The process ends by the signal itself, so that a shell's loop ends too.
  if (interrupt.aborted && endsBySignal) process.kill(process.pid, 'SIGINT');
}
