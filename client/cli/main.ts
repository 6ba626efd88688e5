import { version } from '../../shared/platform/version.ts';
import { usageFailure } from '../commands/failure.ts';
import { runWords } from '../commands/run.ts';
import { CANCELLED, untilAborted } from './interrupt.ts';
import { ownCommandOf } from './own-commands.ts';
import { print } from './print.ts';
import { createSession, type Session } from './session.ts';
import { type Program, readSettings, type Settings } from './settings.ts';
import { spinning } from './spinner.ts';
import type { Terminal } from './terminal.ts';

/** Nobody waits longer for a completion. */
const COMPLETION_MS = 2000;

/** Runs a program with its command line and returns its exit status. Never throws. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  let settings: Settings;
  try {
    settings = readSettings(args, terminal.env);
  } catch (error) {
    return print(usageFailure(error), { json: false, baseUrl: '' }, terminal);
  }
  if (settings.version) {
    terminal.stdout.write(`${version}\n`);
    return 0;
  }
  const session = createSession(settings);
  const { words, baseUrl } = settings;
  const own = ownCommandOf(program, words[0]);
  if (own) {
    try {
      const run = await own.load();
      return await run(words.slice(1), session, terminal);
    } catch (error) {
      return print(usageFailure(error), settings, terminal);
    }
  }
  if (program !== 'marketdata') return await runCommandLine([program, ...words], session, terminal);
  if (words.length > 0) return await runCommandLine(words, session, terminal);
  const { runPrompt } = await import('./prompt.ts');
  const run = (line: readonly string[], interrupt = terminal.interrupt) =>
    runCommandLine(line, session, { ...terminal, interrupt });
  return await runPrompt({ baseUrl, api: session.apiWith({ timeoutMs: COMPLETION_MS }), run }, terminal);
}

async function runCommandLine(
  words: readonly string[],
  { contextOf, settings }: Session,
  terminal: Terminal,
): Promise<number> {
  const work = untilAborted(runWords(words, contextOf(terminal.interrupt)), terminal.interrupt);
  const result = await spinning(work, terminal.stderr, terminal.env);
  return result ? print(result, settings, terminal) : CANCELLED;
}
