import { signal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { commonStart, complete } from '../../commands/complete.ts';
import { commandSpan, type Line, span } from '../../commands/format/text.ts';
import { commandNamed } from '../../commands/parse/table.ts';
import type { ChartResult, Result } from '../../commands/result.ts';
import { coinNamed, runLine } from '../../commands/run.ts';
import { IconButton } from '../app/button.tsx';
import { Lines } from '../app/parts.tsx';
import { coinPath, go } from '../app/router.ts';
import { context, currency, onNewKey, setTo } from '../app/session.ts';
import { openSettings } from '../app/settings.tsx';
import { isText, storedSignal } from '../app/stored.ts';
import { addChart } from '../chart/cards.ts';

interface Entry {
  readonly typed?: string;
  readonly lines: readonly Line[];
}

/** Older lines are rarely read, and more would slow the page down. */
const MAX_ENTRIES = 200;
const MAX_HISTORY = 100;
/** Columns of the output. */
const WIDTH = 100;

const welcome = [
  span('Type a command, such as '),
  commandSpan('cprice BTC'),
  span(', or '),
  commandSpan('help'),
];
export const isTerminalOpen = signal(false);
const log = signal<readonly Entry[]>([{ lines: [[...welcome, span('.')]] }]);
export const clearLog = setTo(log, []);
const history = storedSignal('history', (value): readonly string[] =>
  Array.isArray(value) ? value.filter(isText) : [],
);
/** Lines that the service rejected without a key; they run again when one is set. */
const refused = new Set<string>();
onNewKey(() => {
  for (const line of refused) void runCommand(line);
});

const ownCommands: Readonly<Record<string, () => void>> = {
  clear: clearLog,
  settings: openSettings,
};
const ownSpec = { summary: '', options: {}, examples: [] };
const frontEnd = { commands: { clear: ownSpec, settings: ownSpec }, options: {} };

/** Whether a line starts with a command and has arguments, or is a command that needs none. */
export function isCommandLine(text: string): boolean {
  const line = text.trim().toLowerCase();
  const [first = '', ...more] = line.split(/\s+/);
  const name = commandNamed(first);
  return Object.hasOwn(ownCommands, line) || name === 'help' || (name !== undefined && more.length > 0);
}

/** Runs a typed line. A chart joins the charts, a single coin opens its page, and text opens the terminal. */
export async function runCommand(line: string): Promise<void> {
  const own = ownCommands[line.trim().toLowerCase()];
  if (own) return own();
  history.value = [...history.peek().filter((each) => each !== line), line].slice(-MAX_HISTORY);
  const [first = ''] = line.trim().split(/\s+/);
  if (commandNamed(first) === undefined) {
    const coin = await coinNamed(line.trim(), context);
    if (!('kind' in coin)) return go(coinPath(coin.id));
  }
  const running: Entry = { typed: line, lines: [[span('Loading …', 'muted')]] };
  log.value = [...log.peek(), running].slice(-MAX_ENTRIES);
  const result = await runLine(line, context);
  const isRefused = result.kind === 'failure' && result.reason === 'unauthorized';
  refused[isRefused ? 'add' : 'delete'](line);
  const lines = [...(await printed(result)), ...nextSteps(result)];
  log.value = log.peek().map((entry) => (entry === running ? { typed: line, lines } : entry));
  if (result.kind !== 'chart') isTerminalOpen.value = true;
}

/** The formatter is loaded with the first command that prints; failures work without a network. */
async function printed(result: Result): Promise<readonly Line[]> {
  if (result.kind === 'failure') return result.lines;
  try {
    const { resultLines } = await import('../../commands/format/result.ts');
    return resultLines(result, { width: WIDTH, now: Date.now() });
  } catch {
    return [[span('A part of this page could not be loaded: reload it.', 'error')]];
  }
}

/** Additions to a result that only this page makes. */
function nextSteps(result: Result): readonly Line[] {
  if (result.kind === 'chart') return [[span(showChart(result), 'muted')]];
  if (result.kind === 'help')
    return [[], [span('Also on this page: '), commandSpan('clear'), span(', '), commandSpan('settings')]];
  if (result.kind === 'failure' && result.reason === 'unauthorized')
    return [[span('Open them: '), commandSpan('settings')]];
  return [];
}

function showChart(result: ChartResult): string {
  const isAdded = addChart(result) === 'added';
  const done = isAdded ? 'Chart added to the panel.' : 'This chart is already in the panel.';
  const { currency: code } = result.command;
  if (code === undefined || code === currency.peek()) return done;
  currency.value = code; // all charts are in one currency
  return `${done} All its charts are in ${code} now.`;
}

/** The terminal at the bottom of the page: its output above a command line. */
export function Terminal() {
  const output = useRef<HTMLDivElement>(null);
  const isOpen = isTerminalOpen.value;
  const entries = log.value;
  useEffect(() => output.current?.scrollTo(0, output.current.scrollHeight), [entries, isOpen]);
  if (!isOpen) return null;
  const close = setTo(isTerminalOpen, false);
  return (
    <section class="drawer" aria-label="Terminal" onKeyDown={({ key }) => key === 'Escape' && close()}>
      <IconButton glyph="remove" label="Close the terminal" onClick={close} />
      {/* What scrolls must be scrollable with the keyboard, in every browser. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div ref={output} id="log" class="log" role="log" aria-label="Output" tabIndex={0}>
        {entries.map(({ typed, lines }) => (
          <div class="entry">
            {typed !== undefined && <div class="typed">› {typed}</div>}
            <Lines lines={lines} runCommand={(line) => void runCommand(line)} />
          </div>
        ))}
      </div>
      <Prompt />
    </section>
  );
}

/**
 * Enter runs the line, arrow keys walk the history, Tab completes. Tab leaves the field when it is empty or there is
 * nothing to complete, so keyboard users are never trapped (WCAG 2.1.2).
 */
function Prompt() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const [text, setText] = useState('');
  const [place, setPlace] = useState<number>();
  const exhausted = useRef<string>(undefined);

  async function completeWord(): Promise<void> {
    const completion = await complete(text, context.api, frontEnd);
    const { word, candidates } = completion;
    const [only] = candidates;
    const completed = candidates.length === 1 ? `${only} ` : commonStart(completion);
    const next = text.slice(0, text.length - word.length) + completed;
    if (next === text) exhausted.current = text;
    setText(next);
    if (candidates.length > 1)
      log.value = [...log.peek(), { lines: [[span(candidates.join('  '), 'muted')]] }];
  }

  function walk(by: 1 | -1): void {
    const lines = history.peek();
    const next = (place ?? lines.length) + by;
    if (next < 0) return;
    setPlace(next < lines.length ? next : undefined);
    setText(lines[next] ?? '');
  }

  function onKeyDown(event: TargetedKeyboardEvent<HTMLInputElement>): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      walk(event.key === 'ArrowUp' ? -1 : 1);
    } else if (event.key === 'Tab' && text !== '' && text !== exhausted.current) {
      event.preventDefault();
      void completeWord();
    }
  }

  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        const line = text.trim();
        setText('');
        setPlace(undefined);
        if (line !== '') void runCommand(line);
      }}
    >
      <input
        ref={field}
        type="text"
        aria-label="Command"
        aria-describedby="command-keys"
        placeholder="cprice BTC"
        autocomplete="off"
        autocapitalize="off"
        autocorrect="off"
        spellcheck={false}
        enterkeyhint="go"
        value={text}
        onInput={(event) => {
          exhausted.current = undefined;
          setText(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <button type="submit">Run</button>
      <p id="command-keys" class="keys">
        ↑ ↓ history · Tab completes · Esc closes
      </p>
    </form>
  );
}
