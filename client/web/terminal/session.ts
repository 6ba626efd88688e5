import { resultLines } from '../../commands/format/result.ts';
import { commandSpan, type Line, span } from '../../commands/format/text.ts';
import { parseCommand } from '../../commands/parse/parse.ts';
import { wordsOf } from '../../commands/parse/words.ts';
import type { ChartResult, Result } from '../../commands/result.ts';
import type { Drawer } from './drawer.ts';
import type { Log } from './log.ts';

export interface SessionOptions {
  readonly log: Log;
  readonly drawer: Drawer;
  /** Commands of the page alone. */
  readonly ownCommands: Readonly<Record<string, () => void>>;
  readonly run: (line: string) => Promise<Result>;
  /** Holds the place of the chart of a symbol that is on its way, until the returned function is called. */
  readonly expectChart: (symbol: string) => () => void;
  /** Shows a chart in the panel and says what has become of it. */
  readonly showChart: (result: ChartResult) => string;
}

/** Runs typed lines and shows their results: all in the log, and a short one above the field if the log is closed. */
export function createSession(options: SessionOptions): (line: string) => Promise<void> {
  const { log, drawer, ownCommands, run, expectChart, showChart } = options;

  return async (line) => {
    const own = ownCommands[line.trim().toLowerCase()];
    if (own) return own();
    const entry = log.begin(line);
    drawer.peek([[span('Loading …', 'muted')]]);
    const symbol = chartSymbol(line);
    const arrived = symbol === undefined ? undefined : expectChart(symbol);
    const result = await run(line);
    arrived?.();
    const lines = linesOf(result);
    // Before the drawer opens: it shows the end of what is in the log.
    entry.show(lines);
    if (result.kind === 'price' || result.kind === 'chart') drawer.peek(lines);
    else drawer.open();
  };

  function linesOf(result: Result): readonly Line[] {
    const lines = resultLines(result, { width: log.columns(), now: Date.now() });
    if (result.kind === 'chart') return [...lines, [span(showChart(result), 'muted')]];
    if (result.kind === 'help') return [...lines, [], [span('On this page also: '), ...ownCommandSpans()]];
    if (result.kind === 'failure' && result.reason === 'unauthorized') {
      return [...lines, [span('Open them: '), commandSpan('settings')]];
    }
    return lines;
  }

  function ownCommandSpans(): Line {
    return Object.keys(ownCommands).flatMap((name, index) => [
      ...(index > 0 ? [span(', ')] : []),
      commandSpan(name),
    ]);
  }
}

/** What a line asks for a chart of; undefined: it asks for something else, or nothing that is understood. */
function chartSymbol(line: string): string | undefined {
  try {
    const command = parseCommand(wordsOf(line));
    return command.name === 'chart' ? command.symbol : undefined;
  } catch {
    return undefined;
  }
}
