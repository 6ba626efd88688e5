import { createInterface, emitKeypressEvents, type Interface, type Key } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { complete } from '../commands/complete.ts';
import { usageFailure } from '../commands/failure.ts';
import { span } from '../commands/format/text.ts';
import { wordsOf } from '../commands/parse/words.ts';
import type { Api } from '../commands/provenance.ts';
import { terminalText, textFor } from './ansi.ts';
import { frontEnd } from './own-commands.ts';
import { readHistory, writeHistory } from './state.ts';
import { type Output, type Terminal, wrapWidthOf } from './terminal.ts';
import { CANCELLED } from './wait.ts';

interface PromptOptions {
  readonly baseUrl: string;
  readonly api: Api;
  /** Runs one command line and returns its exit status; stops at once and silently when the signal aborts. */
  readonly run: (words: readonly string[], signal?: AbortSignal) => Promise<number>;
}

const EXITS = ['exit', 'quit'];
/** Commands of the prompt itself. */
const words = { summary: '', options: {}, examples: [] };
const promptFrontEnd = { ...frontEnd, commands: { ...frontEnd.commands, clear: words, exit: words } };
const PROMPT = 'marketdata> ';
const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';

/**
 * Reads command lines until the input ends or says exit; returns the status of the last command. A terminal gets a
 * prompt, history and completion; a pipe is read silently, line by line. Ctrl-C cancels the running command, and lines
 * typed meanwhile run after it.
 */
export async function runPrompt({ baseUrl, api, run }: PromptOptions, terminal: Terminal): Promise<number> {
  const { stdin, stdout, stderr, env } = terminal;
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  let running: AbortController | undefined;
  const drawing = isInteractive ? drawingOn(stdout, () => running !== undefined) : undefined;
  const lines = createInterface({
    input: isInteractive ? standIn(stdin) : stdin,
    output: drawing?.output ?? stdout,
    terminal: isInteractive,
    prompt: PROMPT,
    history: isInteractive ? readHistory(env) : [],
    removeHistoryDuplicates: true,
    completer: completer(api),
  });
  const keys = isInteractive ? keysFor(lines, stdin, () => running) : undefined;
  let history: readonly string[] = [];
  lines.on('history', (entries) => {
    history = entries;
  });
  lines.on('SIGINT', () => interrupt(lines));
  let isOpen = true;
  lines.on('close', () => {
    isOpen = false;
    keys?.close();
    drawing?.close();
  });
  lines.on('line', () => {
    running = new AbortController();
  });
  terminal.interrupt?.addEventListener('abort', () => lines.close());
  // The input may end while a command is still running.
  const prompt = () => {
    running = undefined;
    if (isOpen && isInteractive) lines.prompt();
    keys?.deliver();
  };
  if (isInteractive) {
    const welcome = `Market data from ${baseUrl}. Tab completes, help lists the commands, exit leaves.`;
    stdout.write(terminalText([[span(welcome)]], 0, wrapWidthOf(stdout)));
  }

  let status = 0;
  prompt();
  for await (const line of lines) {
    if (EXITS.includes(line.trim().toLowerCase())) break;
    if (line.trim().toLowerCase() === 'clear') {
      if (isInteractive) stdout.write(CLEAR_SCREEN);
    } else if (line.trim() !== '' && !line.trimStart().startsWith('#')) {
      const signals = [running?.signal, terminal.interrupt].filter((signal) => signal !== undefined);
      status = await runLine(line, (words) => run(words, AbortSignal.any(signals)), terminal);
      if (terminal.interrupt?.aborted) break;
      if (status === CANCELLED) stderr.write(textFor(stderr, env, [[span('Cancelled')]]));
    }
    prompt();
  }
  lines.close();
  if (isInteractive && history.length > 0) writeHistory(env, history);
  return status;
}

async function runLine(line: string, run: PromptOptions['run'], { stderr, env }: Terminal): Promise<number> {
  let words: string[];
  try {
    words = wordsOf(line);
  } catch (error) {
    stderr.write(textFor(stderr, env, usageFailure(error).lines));
    return 2;
  }
  return await run(words);
}

/** The output for readline, which gets its keys from `keysFor`. */
function standIn(stdin: Terminal['stdin']) {
  return Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => stdin.setRawMode?.(isRaw) });
}

/**
 * Passes keys to readline while it reads a line. Keys typed while a command runs are kept for the next line and not
 * echoed. Ctrl-C then ends the command and discards them, as a terminal does (termios, NOFLSH).
 */
function keysFor(lines: Interface, stdin: Terminal['stdin'], running: () => AbortController | undefined) {
  const typed: (readonly [text: string | undefined, key: Key])[] = [];
  function deliver(): void {
    while (!running() && typed.length > 0) lines.write(...(typed.shift() ?? ['', {}]));
  }
  function pressed(text: string | undefined, key: Key): void {
    const command = running();
    if (command && key.ctrl && key.name === 'c') {
      typed.length = 0;
      command.abort();
    } else {
      typed.push([text, key]);
      deliver();
    }
  }
  const end = () => lines.close();
  emitKeypressEvents(stdin);
  stdin.on('keypress', pressed).on('end', end).resume();
  return {
    deliver,
    close: () => void stdin.off('keypress', pressed).off('end', end).pause(),
  };
}

/** Ctrl-C discards the line; on an empty line it exits. */
function interrupt(lines: Interface): void {
  if (lines.line === '') {
    lines.close();
    return;
  }
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
}

type Complete = (error: null, result: [string[], string]) => void;

function completer(api: Api) {
  return (line: string, done: Complete): void => {
    complete(line, api, promptFrontEnd, true).then(
      // A single candidate is followed by a space, as in a shell.
      ({ word, candidates }) =>
        done(null, [candidates.length === 1 ? [`${candidates[0]} `] : [...candidates], word]),
      () => done(null, [[], line]),
    );
  };
}

/**
 * The output for readline, which redraws its line when the window is resized. Nothing is drawn while a command runs, because
 * the cursor is then in the middle of its output.
 */
function drawingOn(stdout: Output, isRunning: () => boolean) {
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isRunning()) stdout.write(chunk);
      done(); // the command's output follows it
    },
  });
  Object.defineProperty(output, 'columns', { get: () => stdout.columns });
  const resized = () => output.emit('resize');
  stdout.on('resize', resized);
  return { output, close: () => void stdout.off('resize', resized) };
}
