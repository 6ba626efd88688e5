import { version } from '../../shared/platform/version.ts';
import { failed, usageFailure } from '../commands/failure.ts';
import { commandOf, type OptionValues, type ParsedLine, parseLine } from '../commands/parse/parse.ts';
import { usageOf } from '../commands/parse/table.ts';
import { UsageError } from '../commands/parse/words.ts';
import type { Command } from '../commands/result.ts';
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
import { print } from './print.ts';
import { createSession, type RunOwn, type Session } from './session.ts';
import { formatAskedFor, settingsOf } from './settings.ts';
import { canDraw, type Terminal, widthOf } from './terminal.ts';
import { CANCELLED, spinning, untilAborted } from './wait.ts';

/** Nobody waits longer for a completion. */
const COMPLETION_MS = 2000;

/** Each module is read only when its command is. */
const ownRuns: Readonly<Record<OwnCommandName, () => Promise<RunOwn>>> = {
  watch: async () => (await import('./watch/watch.ts')).runWatch,
  hold: async () => (await import('./watch/hold.ts')).runHold,
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

/** A command line with its session; the exit status if what is wrong with it has been printed. */
function readLine(words: readonly string[], terminal: Terminal, former?: Session, usual?: OptionValues) {
  try {
    const line = parseLine(words, frontEnd);
    return { line, session: createSession(settingsOf(line, terminal.env, usual), terminal.env, former) };
  } catch (error) {
    const failure = error instanceof ConfigError ? failed(error.message) : usageFailure(error);
    return print(failure, { format: formatAskedFor(words), baseUrl: '' }, terminal);
  }
}

async function runParsed(line: ParsedLine, session: Session, terminal: Terminal): Promise<number> {
  const { stdout, isPrompt } = terminal;
  const { settings } = session;
  if (line.values.has('version')) {
    stdout.write(`${version}\n`);
    return 0;
  }
  const topic = line.isHelp ? line.name : line.name === 'help' ? line.positional[0] : undefined;
  const ownTopic = ownCommandNamed(topic);
  if (ownTopic) return showHelp(ownTopic, terminal);
  const own = asksForList(line) && !settings.open ? 'watch' : ownCommandNamed(line.name);
  if (own && isPrompt && ownCommands[own].isOfShell) {
    const failure = usageFailure(new UsageError(`${own} is for a shell: marketdata ${own}`));
    return print(failure, settings, terminal);
  }
  if (own) {
    const work = runOwn(own, line, session, terminal);
    return (await untilAborted(work, isPrompt ? terminal.interrupt : undefined)) ?? CANCELLED;
  }
  try {
    const isPage = settings.open && asksForList(line);
    return await runCore(isPage ? undefined : commandOf(line), session, terminal);
  } catch (error) {
    return print(usageFailure(error), settings, terminal);
  }
}

/** Whether a price names no coin, and thereby asks for the list. */
function asksForList({ name, positional, values, isHelp }: ParsedLine): boolean {
  return name === 'price' && !isHelp && positional.length === 0 && !values.has('protocol');
}

async function runOwn(
  name: OwnCommandName,
  line: ParsedLine,
  session: Session,
  terminal: Terminal,
): Promise<number> {
  // A command that passes all its words on has options of its own, and a help of these.
  const isHelp = line.positional[0] === '--help' || line.positional[0] === '-h';
  if (isHelp && terminal.repository === undefined) return showHelp(name, terminal);
  try {
    const run = await ownRuns[name]();
    const outcome = await run(line, session, terminal);
    return typeof outcome === 'number' ? outcome : print(outcome, session.settings, terminal);
  } catch (error) {
    if (error instanceof ConfigError) return print(failed(error.message), session.settings, terminal);
    if (!(error instanceof UsageError)) throw error;
    return print(usageFailure(error, usageOf(name, frontEnd)), session.settings, terminal);
  }
}

function showHelp(name: OwnCommandName, { stdout, env }: Terminal): number {
  stdout.write(textFor(stdout, env, ownHelp(name, widthOf(stdout))));
  return 0;
}

/** `command` is undefined for the page alone. Throws UsageError. */
async function runCore(command: Command | undefined, session: Session, terminal: Terminal): Promise<number> {
  const { contextOf, settings } = session;
  const { interrupt, stderr, env } = terminal;
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
  const hasCard = settings.format === 'table' && canDraw(terminal.stdout, env);
  const context = { ...contextOf(interrupt), wantsWeek: hasCard };
  const work = untilAborted(runCommand(command, context), interrupt);
  const result = await spinning(work, stderr, env);
  return result ? print(result, settings, terminal) : CANCELLED;
}
