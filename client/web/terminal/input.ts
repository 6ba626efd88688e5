import { type Completion, commonStart } from '../../commands/complete.ts';
import type { History } from './history.ts';

export interface InputOptions {
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly history: History;
  readonly complete: (line: string) => Promise<Completion>;
  /** Called if a word has several completions. */
  readonly onCandidates: (candidates: readonly string[]) => void;
  readonly onLine: (line: string) => void;
}

/**
 * The command line: Enter runs it, arrow keys walk the history, Tab completes. Tab leaves the field when it is
 * empty, after Escape, and when there was nothing to complete: the keyboard is never trapped in it (WCAG 2.1.2).
 */
export function setUpInput({ form, input, history, complete, onCandidates, onLine }: InputOptions): void {
  let leaveWithTab = false;
  /** The line that Tab could not complete. */
  let exhausted: string | undefined;

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const line = input.value.trim();
    if (line === '') return;
    history.add(line);
    input.value = '';
    onLine(line);
  });
  input.addEventListener('input', () => {
    leaveWithTab = false;
    exhausted = undefined;
  });
  input.addEventListener('blur', () => {
    leaveWithTab = false;
  });
  input.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'ArrowUp') replace(event, history.older(input.value));
    else if (event.key === 'ArrowDown') replace(event, history.newer());
    else if (event.key === 'Escape') leaveWithTab = true;
    else if (event.key === 'Tab' && wantsCompletion()) {
      event.preventDefault();
      void completeWord();
    }
  });

  function replace(event: KeyboardEvent, line: string | undefined): void {
    event.preventDefault();
    if (line === undefined) return;
    input.value = line;
    input.setSelectionRange(line.length, line.length);
  }

  function wantsCompletion(): boolean {
    const isAtEnd = input.selectionStart === input.value.length;
    return !leaveWithTab && isAtEnd && input.value !== '' && input.value !== exhausted;
  }

  async function completeWord(): Promise<void> {
    const line = input.value;
    const completion = await complete(line);
    if (input.value !== line) return; // typed on meanwhile
    const { word, candidates } = completion;
    const [only] = candidates;
    const completed = candidates.length === 1 ? `${only} ` : commonStart(completion);
    input.value = line.slice(0, line.length - word.length) + completed;
    if (input.value === line) exhausted = line;
    if (candidates.length > 1) onCandidates(candidates);
  }
}
