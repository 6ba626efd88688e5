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
  /** The current result; undefined until the first one arrives. */
  last(): Printable | undefined;
}

const LEAVING = ['escape', 'q', 'backspace'];
const MORE = 'A higher window shows the rest';

/**
 * A command's result, refreshed continuously; if a refresh fails, the reason is shown below the last result. The arrow
 * keys change a chart's range. `leave` is called by the keys that leave the view, and with the reason if no result can
 * ever arrive.
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

  /** The ranges of a chart; the arrow keys move between them. */
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
      // A chart leaves a row for the next prompt, which does not exist here.
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
