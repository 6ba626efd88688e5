import { coinTitle } from '../../commands/coins.ts';
import { span } from '../../commands/format/text.ts';
import { UsageError } from '../../commands/parse/words.ts';
import type { FailureResult } from '../../commands/result.ts';
import { coinNamed } from '../../commands/run.ts';
import { terminalText } from '../ansi.ts';
import { readConfig, updateConfig } from '../config/config.ts';
import { untilAborted } from '../interrupt.ts';
import { following } from '../refresh/printed.ts';
import type { RunOwn, Session } from '../session.ts';
import { spinning } from '../spinner.ts';
import { hasColour, type Terminal, wrapWidthOf } from '../terminal.ts';
import { backOff, waited, waitFor } from '../wait.ts';
import { createController } from './controller.ts';
import { createFeed } from './feed.ts';
import { withCoin, withoutCoin } from './list.ts';
import { currencyFor, type Loaded, type LoadFailure, loadWatched } from './load.ts';
import { printedText, printOnce } from './print.ts';
import { rowsOf } from './rows.ts';

/** The library of the screen asks for it. */
const MIN_NODE = 22;

/** `cprice` alone and `marketdata watch`: the list as a screen, or printed once without a terminal. */
export const runWatch: RunOwn = async ({ positional, values }, session, terminal) => {
  const [action, ...symbols] = positional;
  if (action === 'add' || action === 'remove') return await edit(action, symbols, session, terminal);
  if (action !== undefined) throw new UsageError(`Unknown word ${action}; known: add, remove`);
  const currency = currencyFor(values, session.settings);
  if (!isScreen(session, terminal)) {
    return session.settings.watch === undefined || terminal.isPrompt
      ? await once(currency, session, terminal)
      : await repeatedly(currency, session.settings.watch, session, terminal);
  }
  if (Number.parseInt(process.versions.node, 10) >= MIN_NODE) return await live(currency, session, terminal);
  const status = await once(currency, session, terminal);
  const why = `Printed once: the living list needs Node ${MIN_NODE} or newer, and this is ${process.versions.node}.`;
  terminal.stderr.write(
    terminalText([[span(why)]], hasColour(terminal.stderr, terminal.env), wrapWidthOf(terminal.stderr)),
  );
  return status;
};

function isScreen({ settings }: Session, { stdin, stdout, env, isPrompt }: Terminal): boolean {
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && env.TERM !== 'dumb';
  return isTerminal && !isPrompt && settings.format === 'table' && !env.CI;
}

async function once(
  currency: string | undefined,
  session: Session,
  terminal: Terminal,
): Promise<number | FailureResult> {
  const loaded = await spinning(loadOnce(currency, session, terminal), terminal.stderr, terminal.env);
  if (loaded.kind === 'failed') return loaded.failure;
  printOnce(loaded, rowsOf(loaded), session.settings.format, terminal);
  return 0;
}

/** The list again and again, each time that its prices may be new ones, until Ctrl-C. */
async function repeatedly(
  currency: string | undefined,
  seconds: number,
  session: Session,
  terminal: Terminal,
): Promise<number | FailureResult> {
  const { interrupt, stdout, stderr, env } = terminal;
  const { format } = session.settings;
  let failures = 0;
  let isFirst = true;
  for (;;) {
    const loaded = await untilAborted(loadOnce(currency, session, terminal), interrupt);
    if (!loaded) break;
    if (loaded.kind === 'failed') {
      const { failure } = loaded;
      if (isFirst && ['not-found', 'unauthorized'].includes(failure.reason)) return failure;
      failures += 1;
      if (failures === 1)
        stderr.write(terminalText(failure.lines, hasColour(stderr, env), wrapWidthOf(stderr)));
      if (!(await waited(backOff(failures, seconds, failure.retryAfterSeconds), interrupt))) break;
    } else {
      failures = 0;
      stdout.write(following(printedText(loaded, rowsOf(loaded), format, terminal), format, isFirst));
      isFirst = false;
      if (!(await waited(waitFor(loaded.freshUntil, Date.now(), seconds), interrupt))) break;
    }
  }
  terminal.endWell?.();
  return 0;
}

/** The list as it is now. Rejects with ConfigError. */
export async function loadOnce(
  currency: string | undefined,
  { contextOf }: Session,
  { env, interrupt }: Terminal,
): Promise<Loaded | LoadFailure> {
  return await loadWatched({ config: readConfig(env), currency }, contextOf(interrupt));
}

async function live(currency: string | undefined, session: Session, terminal: Terminal): Promise<number> {
  const { env, interrupt } = terminal;
  readConfig(env); // before the screen opens: on it there is little room for what is wrong
  // React has a slow build for development, which is what it takes unless told.
  const variables = process.env;
  variables.NODE_ENV ??= 'production';
  const { openApp } = await import('./app.ts');

  let version = 0;
  const listeners = new Set<() => void>();
  const changed = () => {
    version += 1;
    for (const listener of listeners) listener();
  };
  let quit = () => {};
  let config = readConfig(env);
  const feed = createFeed(
    async (former, signal) => {
      try {
        config = readConfig(env);
      } catch {
        // Somebody is editing the file: the last settings that were understood stay.
      }
      return await loadWatched({ config, currency, former }, session.contextOf(signal));
    },
    changed,
    Date.now,
  );
  const controller = createController({
    feed,
    contextOf: session.contextOf,
    watchlist: () => config.watchlist ?? [],
    updateConfig: async (change) => {
      config = await updateConfig(env, change);
      return config;
    },
    changed,
    quit: () => quit(),
  });
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const context = () => ({ baseUrl: session.settings.baseUrl, currency, now: Date.now() });
  const app = openApp({ controller, context, subscribe, version: () => version }, terminal);
  quit = app.quit;
  interrupt?.addEventListener('abort', app.quit);
  try {
    await app.ended;
  } finally {
    feed.close();
  }
  return 0;
}

/** `add` and `remove`, by whatever `cprice` finds a coin. */
async function edit(
  action: 'add' | 'remove',
  symbols: readonly string[],
  { contextOf }: Session,
  terminal: Terminal,
): Promise<number | FailureResult> {
  if (symbols.length === 0) throw new UsageError('Missing symbol');
  const context = contextOf(terminal.interrupt);
  for (const symbol of symbols) {
    const coin = await spinning(coinNamed(symbol, context), terminal.stderr, terminal.env);
    if ('kind' in coin) return coin;
    const change = action === 'add' ? withCoin : withoutCoin;
    await updateConfig(terminal.env, (config) => change(config, coin.id));
    terminal.stdout.write(`${coinTitle(coin)} ${action === 'add' ? 'added' : 'removed'}\n`);
  }
  return 0;
}
