import { createInterface } from 'node:readline/promises';
import { messageOf } from '../../sdk/failure.ts';
import { spinning } from '../spinner.ts';
import type { Terminal } from '../terminal.ts';
import { isOfThisMachine } from './address.ts';
import { startInBackground } from './background.ts';
import { isAnybodyThere } from './listening.ts';

/**
 * If nobody listens at the address, and the repository has a service that could: asks whether to start it. True once it
 * answers. Nobody is asked without a terminal.
 */
export async function offerToStart(baseUrl: string, terminal: Terminal): Promise<boolean> {
  const { repository, env, stdin, stderr } = terminal;
  if (repository === undefined || !stdin.isTTY || !stderr.isTTY) return false;
  if (!isOfThisMachine(baseUrl) || (await isAnybodyThere(baseUrl))) return false;
  const question = `No service answers at ${baseUrl}. Start it now? [Y/n] `;
  if (!isYes(await answerTo(question, terminal))) return false;

  stderr.write('Starting it, which takes some seconds …\n');
  try {
    const { pid, log } = await spinning(startInBackground(repository, baseUrl, env), stderr, env);
    stderr.write(`It serves in the background, also after this command, and writes to ${log}\n`);
    stderr.write(`To stop it: ${stopping(pid)}\n\n`);
    return true;
  } catch (error) {
    stderr.write(`It did not start:\n${messageOf(error)}\n\n`);
    return false;
  }
}

/** Undefined if the input ended, or Ctrl-C came in place of an answer. */
async function answerTo(question: string, { stdin, stderr }: Terminal): Promise<string | undefined> {
  const lines = createInterface({ input: stdin, output: stderr });
  const given = new AbortController();
  lines.once('close', () => given.abort());
  try {
    return await lines.question(question, { signal: given.signal });
  } catch {
    stderr.write('\n');
    return undefined;
  } finally {
    lines.close();
  }
}

function isYes(answer: string | undefined): boolean {
  return answer !== undefined && /^\s*(y|yes)?\s*$/i.test(answer);
}

function stopping(pid: number): string {
  return process.platform === 'win32' ? `taskkill /pid ${pid} /t /f` : `kill ${pid}`;
}
