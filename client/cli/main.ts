import { version } from '../../shared/platform/version.ts';
import { failed, usageFailure } from '../commands/failure.ts';
import { commandOf, type OptionValues, type ParsedLine, parseLine } from '../commands/parse/parse.ts';
import { usageOf } from '../commands/parse/table.ts';
import { UsageError } from '../commands/parse/words.ts';
import type { FailureResult } from '../commands/result.ts';
import { runCommand } from '../commands/run.ts';
import { textFor } from './ansi.ts';
import { ConfigError } from './config/config.ts';
import {
  frontEnd,
  type OwnCommandName,
  ownCommandNamed,
  ownCommands,
  ownHelp,
  type Program,
} from './own-commands.ts';
import { print, type RunOwn } from './print.ts';
import { createSession, type Session } from './session.ts';
import { requestedFormat, settingsOf } from './settings.ts';
import { canDraw, type Terminal, widthOf } from './terminal.ts';
import { CANCELLED, spinning, untilAborted } from './wait.ts';

/** Completions that take longer are given up. */
const COMPLETION_MS = 2000;

/** Each module is loaded only when its command runs. */
const ownRuns: Readonly<Record<OwnCommandName, () => Promise<RunOwn>>> = {
  watch: async () => (await import('./watch/watch.ts')).runWatch,
  hold: async () => (await import('./hold.ts')).runHold,
  config: async () => (await import('./config/command.ts')).runConfig,
  alert: async () => (await import('./alert/alert.ts')).runAlert,
  serve: async () => (await import('./serve.ts')).serve,
  completion: async () => (await import('./completion.ts')).printCompletion,
};

/** Runs a program with its command line and returns its exit status. Never throws. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const words = program === 'marketdata' ? args : [program, ...args];
  if (words[0] === 'complete')
    return await (await import('./completion.ts')).printCandidates(words, terminal);
  const read = readLine(words, terminal);
  if (typeof read === 'number') return read;
  const { line, session } = read;
  if (line.name !== undefined || line.isHelp || line.values.has('version'))
    return await runParsed(line, session, terminal);
  const { runPrompt } = await import('./prompt.ts');
  let latest = session;
  const run = async (typed: readonly string[], interrupt = terminal.interrupt) => {
    const inPrompt = { ...terminal, interrupt, isPrompt: true, endWell: () => {} };
    const next = readLine(typed, inPrompt, latest, line.values);
    if (typeof next === 'number') return next;
    latest = next.session;
    return await runParsed(next.line, latest, inPrompt);
  };
  const api = session.apiWith({ timeoutMs: COMPLETION_MS });
  return await runPrompt({ baseUrl: session.settings.baseUrl, api, run }, terminal);
}

/** A command line with its session; the exit status if an error has been printed. */
function readLine(words: readonly string[], terminal: Terminal, former?: Session, usual?: OptionValues) {
  try {
    const line = parseLine(words, frontEnd);
    return { line, session: createSession(settingsOf(line, terminal.env, usual), terminal.env, former) };
  } catch (error) {
    return print(failureOf(error), { format: requestedFormat(words), baseUrl: '' }, terminal);
  }
}

async function runParsed(line: ParsedLine, session: Session, terminal: Terminal): Promise<number> {
  if (line.values.has('version')) {
    terminal.stdout.write(`${version}\n`);
    return 0;
  }
  const isList = isListCommand(line);
  const own = isList && !session.settings.open ? 'watch' : ownCommandNamed(line.name);
  try {
    const outcome = own
      ? await runOwn(own, line, session, terminal)
      : await runCore(isList ? undefined : line, session, terminal);
    return typeof outcome === 'number' ? outcome : print(outcome, session.settings, terminal);
  } catch (error) {
    return print(failureOf(error, own && usageOf(own, frontEnd)), session.settings, terminal);
  }
}

/** Whether a price command names no coin, which shows the list. */
function isListCommand({ name, positional, values, isHelp }: ParsedLine): boolean {
  return name === 'price' && !isHelp && positional.length === 0 && !values.has('protocol');
}

/** Prints an error of the command line or the settings. Throws any other error. */
function failureOf(error: unknown, usage?: string): FailureResult {
  if (error instanceof ConfigError) return failed(error.message);
  if (error instanceof UsageError) return usageFailure(error, usage);
  throw error;
}

async function runOwn(name: OwnCommandName, line: ParsedLine, session: Session, terminal: Terminal) {
  const { interrupt, isPrompt, repository } = terminal;
  // A command that passes all its words on documents its options in its own help.
  const isPassedHelp = line.positional[0] === '--help' || line.positional[0] === '-h';
  if (line.isHelp || (isPassedHelp && repository === undefined)) return showHelp(name, terminal);
  if (isPrompt && ownCommands[name].isOfShell)
    throw new UsageError(`${name} is for a shell: marketdata ${name}`);
  const work = ownRuns[name]().then((run) => run(line, session, terminal));
  return (await untilAborted(work, isPrompt ? interrupt : undefined)) ?? CANCELLED;
}

function showHelp(name: OwnCommandName, { stdout, env }: Terminal): number {
  stdout.write(textFor(stdout, env, ownHelp(name, widthOf(stdout))));
  return 0;
}

/** `line` is undefined for commands that only the page has. Throws UsageError. */
async function runCore(line: ParsedLine | undefined, session: Session, terminal: Terminal) {
  const { contextOf, settings } = session;
  const { interrupt, stdout, stderr, env } = terminal;
  const ownTopic = line?.name === 'help' ? ownCommandNamed(line.positional[0]) : undefined;
  if (ownTopic) return showHelp(ownTopic, terminal);
  const command = line && commandOf(line);
  if (settings.open && command?.name !== 'help') {
    const { openPage } = await import('./open.ts');
    return await openPage(command, settings, contextOf(interrupt), terminal);
  }
  if (!command) return 0;
  if (settings.watch !== undefined && command.name !== 'help') {
    if (command.name === 'search') throw new UsageError('--watch is for prices and charts');
    const { watch } = await import('./watch/watch.ts');
    return await watch(command, session, terminal);
  }
  const hasCard = settings.format === 'table' && canDraw(stdout, env);
  const work = untilAborted(runCommand(command, { ...contextOf(interrupt), wantsWeek: hasCard }), interrupt);
  return (await spinning(work, stderr, env)) ?? CANCELLED;
}
