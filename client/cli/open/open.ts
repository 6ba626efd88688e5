import type { Command } from '../../commands/command.ts';
import { usageFailure } from '../../commands/failure.ts';
import { parseCommand } from '../../commands/parse/parse.ts';
import { UsageError } from '../../commands/parse/usage-error.ts';
import { type ChartCommand, hashOf } from '../../web/chart/dashboard.ts';
import { print } from '../print.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { openInBrowser } from './browser.ts';

/** Prints the address of the page with a command's coins as cards, and opens it where there is a desktop. Never throws. */
export function openPage(words: readonly string[], settings: Settings, terminal: Terminal): number {
  let url: string;
  try {
    url = `${settings.baseUrl}/${hashOf(chartsOf(parseCommand(words)).map(itemOf))}`;
  } catch (error) {
    return print(usageFailure(error), settings, terminal);
  }
  terminal.stdout.write(`${url}\n`);
  openInBrowser(url, terminal.env);
  return 0;
}

function chartsOf(command: Command): readonly ChartCommand[] {
  if (command.name === 'chart') return [command];
  if (command.name !== 'price') throw new UsageError('--open is for prices and charts');
  const { symbols, protocol } = command;
  return symbols.map((symbol) => ({
    name: 'chart',
    symbol,
    compare: [],
    protocol,
    style: undefined,
    range: {},
  }));
}

/** The currency is the page's. */
function itemOf(command: ChartCommand) {
  return { command: { ...command, currency: undefined }, isLogarithmic: false };
}
