import { version } from '../../shared/platform/version.ts';
import { usageFailure } from '../commands/failure.ts';
import { UsageError } from '../commands/parse/usage-error.ts';
import { runWords } from '../commands/run.ts';
import { terminalText } from './ansi.ts';
import { ConfigError } from './config/config.ts';
import { CANCELLED, untilAborted } from './interrupt.ts';
import { type OwnCommandName, ownCommandNamed, ownCommands } from './own-commands.ts';
import { failed } from './own-failure.ts';
import { ownHelp, ownUsage } from './own-help.ts';
import { ownRuns } from './own-runs.ts';
import { print } from './print.ts';
import type { Program } from './programs.ts';
import { createSession, type Session } from './session.ts';
import { formatAskedFor, readSettings, type Settings } from './settings.ts';
import { spinning } from './spinner.ts';
import { hasColour, type Terminal, widthOf, wrapWidthOf } from './terminal.ts';
import { asksForList } from './watch/options.ts';

/** Nobody waits longer for a completion. */
const COMPLETION_MS = 2000;

/** Runs a program with its command line and returns its exit status. Never throws. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  let settings: Settings;
  const passed = ownCommandNamed(program, args[0]);
  try {
    settings = readSettings(passed && ownCommands[passed].passesAll ? ['--', ...args] : args, terminal.env);
  } catch (error) {
    if (passed && ownCommands[passed].isHidden) return 0; // a shell asks, in the middle of a line
    const failure = error instanceof ConfigError ? failed(error.message) : usageFailure(error);
    return print(failure, { format: formatAskedFor(args), baseUrl: '' }, terminal);
  }
  if (settings.version) {
    terminal.stdout.write(`${version}\n`);
    return 0;
  }
  const session = createSession(settings, terminal.env);
  const words = passed && ownCommands[passed].passesAll ? args : settings.words;
  if (asksForList(program, words)) return await runOwn('watch', words, session, terminal);
  if (program !== 'marketdata' || words.length > 0) return await runLine(program, words, session, terminal);
  if (terminal.stdout.isTTY) await isStarted(settings.baseUrl, terminal);
  const { runPrompt } = await import('./prompt.ts');
  const run = (line: readonly string[], interrupt = terminal.interrupt) =>
    runPromptLine(line, session, { ...terminal, interrupt, isPrompt: true, endWell: () => {} });
  const api = session.apiWith({ timeoutMs: COMPLETION_MS });
  return await runPrompt({ baseUrl: settings.baseUrl, api, run }, terminal);
}

/** A line of the prompt, which may have the programs' options too: they are of this line alone. */
async function runPromptLine(line: readonly string[], session: Session, terminal: Terminal): Promise<number> {
  const { baseUrl, format } = session.settings;
  let settings: Settings;
  try {
    settings = readSettings(['--url', baseUrl, ...line], terminal.env);
  } catch (error) {
    const failure = error instanceof ConfigError ? failed(error.message) : usageFailure(error);
    return print(failure, { format: formatAskedFor(line), baseUrl }, terminal);
  }
  if (settings.format === 'table') settings = { ...settings, format };
  const isSame = settings.baseUrl === baseUrl;
  const own = isSame ? { ...session, settings } : createSession(settings, terminal.env);
  return await runLine('marketdata', settings.words, own, terminal);
}

async function runLine(
  program: Program,
  words: readonly string[],
  session: Session,
  terminal: Terminal,
): Promise<number> {
  const topic = words[0]?.toLowerCase() === 'help' ? ownCommandNamed(program, words[1]) : undefined;
  if (topic) return tellUsage(topic, terminal);
  const own = ownCommandNamed(program, words[0]);
  if (own && terminal.isPrompt && ownCommands[own].isOfShell) {
    const failure = usageFailure(new UsageError(`${own} is for a shell: marketdata ${own}`));
    return print(failure, session.settings, terminal);
  }
  if (own) {
    const work = runOwn(own, words.slice(1), session, terminal);
    return (await untilAborted(work, terminal.isPrompt ? terminal.interrupt : undefined)) ?? CANCELLED;
  }
  return await runCommandLine(program === 'marketdata' ? words : [program, ...words], session, terminal);
}

async function runOwn(
  name: OwnCommandName,
  words: readonly string[],
  session: Session,
  terminal: Terminal,
): Promise<number> {
  // A command that passes all its words on has options of its own, and a help of these.
  const isHelp = words[0] === '--help' || words[0] === '-h';
  const hasOwnHelp = ownCommands[name].passesAll && terminal.repository !== undefined;
  if (isHelp && !hasOwnHelp) return tellUsage(name, terminal);
  try {
    const run = await ownRuns[name]();
    const outcome = await run(words, session, terminal);
    return typeof outcome === 'number' ? outcome : print(outcome, session.settings, terminal);
  } catch (error) {
    if (error instanceof ConfigError) return print(failed(error.message), session.settings, terminal);
    if (error instanceof UsageError) {
      return print(usageFailure(error, ownUsage(name)), session.settings, terminal);
    }
    throw error;
  }
}

function tellUsage(name: OwnCommandName, { stdout, env }: Terminal): number {
  stdout.write(terminalText(ownHelp(name, widthOf(stdout)), hasColour(stdout, env), wrapWidthOf(stdout)));
  return 0;
}

async function runCommandLine(
  words: readonly string[],
  session: Session,
  terminal: Terminal,
): Promise<number> {
  const { contextOf, settings } = session;
  if (settings.open) {
    const { openPage } = await import('./open/open.ts');
    return openPage(words, settings, terminal);
  }
  if (settings.watch !== undefined) {
    const { refresh } = await import('./refresh/refresh.ts');
    return await refresh(words, settings.watch, session, terminal);
  }
  const { interrupt, stderr, env } = terminal;
  const answer = () => spinning(untilAborted(runWords(words, contextOf(interrupt)), interrupt), stderr, env);
  let result = await answer();
  const isUnreachable = result?.kind === 'failure' && result.isUnreachable;
  if (isUnreachable && !terminal.isPrompt && (await isStarted(settings.baseUrl, terminal)))
    result = await answer();
  return result ? print(result, settings, terminal) : CANCELLED;
}

async function isStarted(baseUrl: string, terminal: Terminal): Promise<boolean> {
  const { offerToStart } = await import('./serve/offer.ts');
  return await offerToStart(baseUrl, terminal);
}
