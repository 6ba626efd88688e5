import { coinTitle } from '../../commands/coins.ts';
import { UsageError } from '../../commands/parse/words.ts';
import type { Command, FailureResult } from '../../commands/result.ts';
import { coinNamed, runCommand } from '../../commands/run.ts';
import { updateConfig } from '../config/config.ts';
import { type Printable, type Printed, print, printed, type RunOwn } from '../print.ts';
import type { Session } from '../session.ts';
import type { OutputFormat } from '../settings.ts';
import { canDraw, type Terminal } from '../terminal.ts';
import { spinning } from '../wait.ts';
import { currencyFor, listOf, withCoin, withoutCoin } from './list.ts';
import { listView } from './list-view.ts';
import { resultView } from './result-view.ts';
import { isLasting, rounds } from './rounds.ts';
import { openScreen } from './screen.ts';

/** `cprice` alone and `marketdata watch`: the list as a screen; otherwise printed, repeatedly with `--watch`. */
export const runWatch: RunOwn = async ({ positional, values }, session, terminal) => {
  const [action, ...symbols] = positional;
  if (action === 'add' || action === 'remove') return await edit(action, symbols, session, terminal);
  if (action !== undefined) throw new UsageError(`Unknown word ${action}; known: add, remove`);
  const { interrupt, stdin, stderr, env, isPrompt } = terminal;
  const currency = currencyFor(values, session.settings);
  const fetch = listOf(currency, session, env);
  if (isDrawn(session, terminal) && stdin.isTTY === true && !isPrompt && !env.CI) {
    const screen = openScreen(terminal);
    const view = listView(fetch, currency, session, terminal, screen);
    screen.show(view);
    await screen.closed;
    view.close();
    return 0;
  }
  if (session.settings.watch !== undefined && !isPrompt)
    return await printEach(() => fetch(interrupt), session, terminal);
  return await spinning(fetch(interrupt), stderr, env);
};

/** Repeats `cprice` or `cchart` until Ctrl-C ends it with status 0. Never throws. */
export async function watch(command: Command, session: Session, terminal: Terminal): Promise<number> {
  if (!isDrawn(session, terminal))
    return await printEach(
      () => runCommand(command, session.contextOf(terminal.interrupt)),
      session,
      terminal,
    );
  const screen = openScreen(terminal);
  const view = resultView(command, session, terminal, screen, screen.close);
  screen.show(view);
  await screen.closed;
  terminal.endWell?.();
  const last = view.last();
  const status = last ? print(last, session.settings, terminal) : 0;
  return last?.kind === 'failure' && isLasting(last) ? status : 0;
}

function isDrawn({ settings }: Session, { stdout, env }: Terminal): boolean {
  return settings.format === 'table' && canDraw(stdout, env);
}

/**
 * Prints results one after the other: JSON in one line each, CSV under one header. Remarks are printed when they are
 * new, and failures when they begin; a permanent failure ends it.
 */
async function printEach(
  fetch: () => Promise<Printable>,
  { settings }: Session,
  terminal: Terminal,
): Promise<number> {
  let former: Printed | undefined;
  for await (const { result, failures } of rounds(fetch, {
    seconds: settings.watch,
    signal: terminal.interrupt,
  })) {
    if (result.kind === 'failure' && !former && isLasting(result)) return print(result, settings, terminal);
    if (failures > 1) continue;
    const { stdout, stderr, status } = printed(result, settings, terminal);
    if (stdout) terminal.stdout.write(following(stdout, settings.format, former === undefined));
    if (stderr !== former?.stderr) terminal.stderr.write(stderr);
    if (failures === 0) former = { stdout, stderr, status };
  }
  terminal.endWell?.();
  return 0;
}

/** The text of one result of several: JSON in one line, CSV with one header for all. */
function following(text: string, format: OutputFormat, isFirst: boolean): string {
  if (format === 'json') return `${JSON.stringify(JSON.parse(text))}\n`;
  if (format === 'ndjson' || isFirst) return text;
  return format === 'csv' ? text.slice(text.indexOf('\n') + 1) : `\n${text}`;
}

/** `add` and `remove` accept any text by which `cprice` finds a coin. */
async function edit(
  action: 'add' | 'remove',
  symbols: readonly string[],
  { contextOf }: Session,
  { interrupt, stdout, stderr, env }: Terminal,
): Promise<number | FailureResult> {
  if (symbols.length === 0) throw new UsageError('Missing symbol');
  for (const symbol of symbols) {
    const coin = await spinning(coinNamed(symbol, contextOf(interrupt)), stderr, env);
    if ('kind' in coin) return coin;
    const change = action === 'add' ? withCoin : withoutCoin;
    await updateConfig(env, (config) => change(config, coin.id));
    stdout.write(`${coinTitle(coin)} ${action === 'add' ? 'added' : 'removed'}\n`);
  }
  return 0;
}
