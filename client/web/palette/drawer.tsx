import { effect, signal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Coin } from '../../commands/coins.ts';
import { commonStart, complete } from '../../commands/complete.ts';
import { resultLines } from '../../commands/format/result.ts';
import { commandSpan, type Line, span } from '../../commands/format/text.ts';
import { parseCommand } from '../../commands/parse/parse.ts';
import { commandNamed } from '../../commands/parse/table.ts';
import { wordsOf } from '../../commands/parse/words.ts';
import type { Result } from '../../commands/result.ts';
import { coinNamed, runLine } from '../../commands/run.ts';
import { IconButton, Lines } from '../app/parts.tsx';
import { coinPath, go } from '../app/router.ts';
import { apiKey, context, currency, isSettingsOpen } from '../app/session.ts';
import { storedSignal } from '../app/stored.ts';
import { addChart } from '../charts/charts.ts';

interface Entry {
  readonly typed: string | undefined;
  /** Undefined while it runs. */
  readonly lines: readonly Line[] | undefined;
}

/** Nobody scrolls back further, and more would slow the page down. */
const MAX_ENTRIES = 200;
const MAX_HISTORY = 100;

export const isDrawerOpen = signal(false);
const welcome: Entry = {
  typed: undefined,
  lines: [
    [
      span('Type a command, such as '),
      commandSpan('cprice BTC'),
      span(', or '),
      commandSpan('help'),
      span('.'),
    ],
  ],
};
const log = signal<readonly Entry[]>([welcome]);
const history = storedSignal(
  () => localStorage,
  'marketdata.history',
  (value): readonly string[] =>
    Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [],
);
/** Lines that the service refused without a key; they run again when there is one. */
const refused = new Set<string>();

const ownCommands: Readonly<Record<string, () => void>> = {
  clear: clearLog,
  settings: () => {
    isSettingsOpen.value = true;
  },
};

const ownSpec = { summary: '', options: {}, examples: [] };
const frontEnd = { commands: { clear: ownSpec, settings: ownSpec }, options: {} };

let lastKey = apiKey.peek();
effect(() => {
  if (apiKey.value === lastKey) return;
  lastKey = apiKey.value;
  for (const line of [...refused]) void runCommand(line);
});

export function clearLog(): void {
  log.value = [];
}

/** Whether a line is a whole command, or begins with one and has more. */
export function isCommandLine(text: string): boolean {
  const line = text.trim();
  const [first = '', ...more] = line.split(/\s+/);
  if (Object.hasOwn(ownCommands, line.toLowerCase())) return true;
  if (commandNamed(first) === undefined) return false;
  if (more.length > 0) return true;
  try {
    parseCommand(wordsOf(line));
    return true;
  } catch {
    return false;
  }
}

/** Runs a typed line. A chart goes to the charts, a coin alone to its page, and what is printed opens the drawer. */
export async function runCommand(line: string): Promise<void> {
  const own = ownCommands[line.trim().toLowerCase()];
  if (own) return own();
  history.value = [...history.peek().filter((each) => each !== line), line].slice(-MAX_HISTORY);
  const [first = ''] = line.trim().split(/\s+/);
  if (commandNamed(first) === undefined && (await openNamed(line.trim()))) return;
  const running: Entry = { typed: line, lines: undefined };
  log.value = [...log.peek(), running].slice(-MAX_ENTRIES);
  const result = await runLine(line, context);
  if (result.kind === 'failure' && result.reason === 'unauthorized') refused.add(line);
  else refused.delete(line);
  const lines = linesOf(result);
  log.value = log.peek().map((entry) => (entry === running ? { typed: line, lines } : entry));
  if (result.kind !== 'chart') isDrawerOpen.value = true;
}

/** Whether the line names a coin, whose page is shown then. */
async function openNamed(text: string): Promise<boolean> {
  const named: Coin | Result = await coinNamed(text, context);
  if ('kind' in named) return false;
  go(coinPath(named.id));
  return true;
}

function linesOf(result: Result): readonly Line[] {
  const lines = resultLines(result, { width: COLUMNS, now: Date.now() });
  if (result.kind === 'chart') return [...lines, [span(showChart(result), 'muted')]];
  if (result.kind === 'help')
    return [
      ...lines,
      [],
      [span('On this page also: '), commandSpan('clear'), span(', '), commandSpan('settings')],
    ];
  if (result.kind === 'failure' && result.reason === 'unauthorized')
    return [...lines, [span('Open them: '), commandSpan('settings')]];
  return lines;
}

const COLUMNS = 100;

function showChart(result: Extract<Result, { readonly kind: 'chart' }>): string {
  const done =
    addChart(result) === 'added' ? 'Chart added to the panel.' : 'The panel shows this chart already.';
  const { currency: code } = result.command;
  if (code === undefined || code === currency.peek()) return done;
  currency.value = code; // all charts are in one currency
  return `${done} All its charts are in ${code} now.`;
}

/** The terminal at the lower edge of the page: its output above a line for commands. */
export function Drawer() {
  const output = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isOpen = isDrawerOpen.value;
  const entries = log.value;
  useEffect(() => {
    if (isOpen) field.current?.focus();
  }, [isOpen]);
  useEffect(() => {
    if (output.current) output.current.scrollTop = output.current.scrollHeight;
  }, [entries, isOpen]);
  const close = () => {
    isDrawerOpen.value = false;
  };
  if (!isOpen) return null;
  return (
    <section
      class="drawer"
      aria-label="Terminal"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <IconButton glyph="remove" label="Close the terminal" onClick={close} />
      {/* What scrolls must be scrollable with the keyboard, in every browser. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div ref={output} id="log" class="log" role="log" aria-label="Output" tabIndex={0}>
        {entries.map((entry) => (
          <div class="entry">
            {entry.typed !== undefined && <div class="typed">› {entry.typed}</div>}
            <Lines
              lines={entry.lines ?? [[span('Loading …', 'muted')]]}
              runCommand={(line) => void runCommand(line)}
            />
          </div>
        ))}
      </div>
      <Prompt field={field} />
    </section>
  );
}

/**
 * Enter runs the line, arrow keys walk the history, Tab completes. Tab leaves the field when it is empty and when there
 * was nothing to complete: the keyboard is never trapped in it (WCAG 2.1.2).
 */
function Prompt({ field }: { readonly field: { current: HTMLInputElement | null } }) {
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
      log.value = [...log.peek(), { typed: undefined, lines: [[span(candidates.join('  '), 'muted')]] }];
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
