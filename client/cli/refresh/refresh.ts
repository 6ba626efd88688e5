import { usageFailure } from '../../commands/failure.ts';
import { UsageError } from '../../commands/parse/words.ts';
import type { Command, FailureResult } from '../../commands/result.ts';
import { runCommand } from '../../commands/run.ts';
import { shownChart } from '../../commands/shown-chart.ts';
import { untilAborted } from '../interrupt.ts';
import { print } from '../print.ts';
import type { Session } from '../session.ts';
import { spinning } from '../spinner.ts';
import type { Terminal } from '../terminal.ts';
import { backOff, clockText, freshUntilOf, waited, waitFor } from '../wait.ts';
import type { Shown } from './captured.ts';
import { drawnOutput } from './drawn.ts';
import { printedOutput } from './printed.ts';

/** Failures that a first answer may have and that the next one has too. */
const LASTING: readonly FailureResult['reason'][] = ['not-found', 'unauthorized'];

/**
 * Runs `cprice` or `cchart` again and again, when the lifetime of the answer is over, until Ctrl-C ends it with status 0.
 * On a terminal the answers are drawn over each other, elsewhere printed one after the other. Never throws.
 */
export async function refresh(
  command: Command,
  seconds: number,
  { contextOf, settings }: Session,
  terminal: Terminal,
): Promise<number> {
  const { interrupt, stdout, stderr, env } = terminal;
  const isDrawn = stdout.isTTY === true && env.TERM !== 'dumb' && settings.format === 'table';
  const output = isDrawn ? drawnOutput(settings, terminal) : printedOutput(settings, terminal);
  const ended = (status: number) => {
    output.end();
    return status;
  };
  let failures = 0;
  let hasAnswer = false;
  for (;;) {
    const context = { ...contextOf(interrupt), wantsWeek: isDrawn };
    const work = untilAborted(runCommand(command, context), interrupt);
    const result = await (hasAnswer || failures > 0 ? work : spinning(work, stderr, env));
    if (!result) break;
    if (result.kind === 'help') return ended(print(result, settings, terminal));
    if (result.kind === 'search') {
      return ended(
        print(usageFailure(new UsageError('--watch is for prices and charts')), settings, terminal),
      );
    }
    let wait: number;
    if (result.kind === 'failure') {
      const isLasting = result.reason === 'usage' || (!hasAnswer && LASTING.includes(result.reason));
      if (isLasting) return ended(print(result, settings, terminal));
      failures += 1;
      wait = backOff(failures, seconds, result.retryAfterSeconds);
      output.fail(result, failures, `Tries again ${clockText(Date.now() + wait)}; Ctrl-C ends`);
    } else {
      failures = 0;
      hasAnswer = true;
      wait = waitFor(freshUntilOf(partsOf(result)), Date.now(), seconds);
      output.show(result, `Next refresh ${clockText(Date.now() + wait)}; Ctrl-C ends`);
    }
    if (!(await waited(wait, interrupt))) break;
  }
  terminal.endWell?.();
  return ended(0);
}

function partsOf(result: Shown) {
  if (result.kind === 'price') return result.prices;
  const { command, conversion, compared } = result;
  return [result, ...compared].map((each) => shownChart({ ...each, command, conversion }));
}
