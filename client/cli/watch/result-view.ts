import { type Line, plainText, type Span, span } from '../../commands/format/text.ts';
import { wrapLines } from '../../commands/format/width.ts';
import { rangeNameOf, rangeNames, ranges } from '../../commands/parse/table.ts';
import type { Command } from '../../commands/result.ts';
import { runCommand } from '../../commands/run.ts';
import { type Printable, shownLines } from '../print.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { createFeed, isLasting } from './rounds.ts';
import type { Screen, View } from './screen.ts';

export interface ResultView extends View {
  /** What it shows; undefined as long as nothing has come. */
  last(): Printable | undefined;
}

const LEAVING = ['escape', 'q', 'backspace'];
const MORE = 'A higher window shows the rest';

/**
 * The answer of a command, again and again, with the reason below it while there is no newer one; the arrows choose the time
 * of a chart. `leave` is called by the keys that leave it, and with the reason if there never will be an answer.
 */
export function resultView(
  first: Command,
  session: Session,
  terminal: Terminal,
  screen: Screen,
  leave: (words?: string) => void,
): ResultView {
  let command = first;
  const way = leave === screen.close || terminal.isPrompt ? 'Ctrl-C ends' : 'Esc leaves';
  const feed = createFeed(
    (signal) => runCommand(command, { ...session.contextOf(signal), wantsWeek: true }),
    session.settings.watch,
    () => {
      const failure = feed.failure();
      if (failure && !feed.answer() && isLasting(failure)) leave(plainText(failure.lines.slice(0, 1)));
      else screen.draw();
    },
  );

  /** The times of a chart, of which the arrows choose. */
  function rangeSpans(): Span[] {
    if (command.name !== 'chart' || terminal.isPrompt) return [];
    const chosen = rangeNameOf(command.range);
    return [
      ...rangeNames.map((name) =>
        name === chosen ? span(`[${name}]`, 'strong') : span(` ${name} `, 'muted'),
      ),
      span('  ← →  ', 'muted'),
    ];
  }

  return {
    lines({ columns, rows }) {
      const foot: Line = [...rangeSpans(), span(`${feed.status()}  ${way}`, 'muted')];
      const below = wrapLines([...(feed.failure()?.lines ?? []), foot], columns);
      const room = Math.max(0, rows - below.length);
      const answer = feed.answer();
      // A chart leaves a row to the prompt that comes after it, and here there is none.
      const lines = answer ? shownLines(answer, { isTTY: true, columns, rows: room + 1 }, terminal) : [];
      if (lines.length <= room) return [...lines, ...below];
      return [...lines.slice(0, Math.max(0, room - 1)), [span(MORE, 'muted')], ...below];
    },
    press(key) {
      if (LEAVING.includes(key)) leave();
      if (command.name !== 'chart' || (key !== 'left' && key !== 'right')) return;
      const { quote } = command.range;
      const at = rangeNames.indexOf(rangeNameOf(command.range) ?? '1m') + (key === 'left' ? -1 : 1);
      const next = rangeNames[at];
      if (next === undefined) return;
      command = { ...command, range: { ...ranges[next], ...(quote && { quote }) } };
      feed.refresh();
      screen.draw();
    },
    close: feed.close,
    last: () => feed.answer() ?? feed.failure(),
  };
}
