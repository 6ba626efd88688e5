import { spawn } from 'node:child_process';
import { numberedCoin } from '../commands/coins.ts';
import { UsageError } from '../commands/parse/words.ts';
import type { Command } from '../commands/result.ts';
import { namedTogetherBy, type RunContext } from '../commands/run.ts';
import { type AddressChart, hashOf } from '../web/chart/address.ts';
import type { Settings } from './settings.ts';
import type { Terminal, Variables } from './terminal.ts';

/** Prints the address of the page that shows the command's coins, and opens it on a desktop. Throws UsageError. */
export async function openPage(
  command: Command | undefined,
  { baseUrl }: Settings,
  context: RunContext,
  { stdout, env }: Terminal,
): Promise<number> {
  const charts = command ? await chartsOf(command, context) : [];
  const url = `${baseUrl}/${hashOf(charts)}`;
  stdout.write(`${url}\n`);
  start(browserCommand(url, env, process.platform), env);
  return 0;
}

/** The charts of a command, without a currency: the page uses its own. */
async function chartsOf(command: Command, context: RunContext): Promise<readonly AddressChart[]> {
  const idOf = (word: string) => numberedCoin(word, context.lastSearch)?.id ?? word;
  if (command.name === 'chart') {
    const { symbol, compare, style, range } = command;
    return [{ names: [symbol, ...compare].map(idOf), ...(style && { style }), range }];
  }
  if (command.name !== 'price') throw new UsageError('--open is for prices and charts');
  const together = await namedTogetherBy(command.symbols, context);
  const coins = together ? [together.id] : command.symbols.map(idOf);
  return coins.map((name) => ({ names: [name], range: {} }));
}

/** The program that opens an address, with its arguments; empty without a desktop, or over a remote connection. */
export function browserCommand(url: string, env: Variables, platform: NodeJS.Platform): string[] {
  if (env.SSH_CONNECTION || env.SSH_TTY) return [];
  if (platform === 'darwin') return ['open', url];
  // `start` is a part of cmd.exe, which would read the address as a command line.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open', url] : [];
}

/** Starts a program with its arguments, if it exists. Never fails and does not wait. */
export function start([command, ...args]: readonly string[], env: Variables): void {
  if (command === undefined) return;
  const child = spawn(command, args, { env: { ...env }, stdio: 'ignore', detached: true });
  child.on('error', () => {}); // the program is missing; the address has been printed
  child.unref();
}
