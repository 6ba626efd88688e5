/** Entry of the programs: `client/cli/launch.mjs` imports it and names the program. */
import { type Program, runProgram } from './main.ts';

export async function run(program: Program): Promise<void> {
  // A reader that stops early (`cchart BTC | head`) is no failure.
  const { env, stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.exitCode = await runProgram(program, process.argv.slice(2), { env, stdin, stdout, stderr });
}
