import { type Line, span } from '../commands/format/text.ts';
import { wrapped } from '../commands/format/width.ts';
import { commandHelp, optionRowsOf, twoColumns } from '../commands/help.ts';
import {
  type CommandSpec,
  commandTable,
  type FrontEnd,
  integer,
  type OptionTable,
  usageOf,
} from '../commands/parse/table.ts';
import { exitStatuses, settingTable, variableTable } from './settings.ts';

/** The package's programs: `marketdata` has all commands, each other program is one command. */
export const programs = ['price', 'cprice', 'chart', 'cchart', 'coinsearch', 'marketdata'] as const;
export type Program = (typeof programs)[number];

/** The shells with a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;

const { currency } = commandTable.price.options;
const inCurrency: OptionTable = currency ? { currency } : {};

const commands = {
  watch: {
    argument: '[add|remove <symbol…>]',
    summary: 'your list of coins, refreshed; the same as cprice alone',
    options: inCurrency,
    examples: ['watch', 'watch --currency eur', 'watch add BTC ETH'],
  },
  hold: {
    argument: '[<symbol> <amount> [@ <price>]]',
    summary: 'your holdings and their value',
    options: inCurrency,
    examples: ['hold', 'hold BTC 0.5 @ 60000', 'hold BTC +0.1 @ 65000', 'hold BTC 0'],
  },
  config: {
    argument: '[get|set|unset|export|import …]',
    values: ['get', 'set', 'unset', 'export', 'import'],
    summary: 'stored settings (currency, url), watchlist and holdings',
    options: {},
    examples: [
      'config',
      'config set currency eur',
      'config export portfolio.json',
      'config import portfolio.json',
    ],
  },
  alert: {
    under: 'price',
    argument: '<symbol> <condition>',
    summary: 'wait until a price or its change passes a limit',
    options: {
      once: { summary: 'check once: exit 0 if the condition holds, else 5' },
      every: {
        ...integer(5, 86_400, 'the least time between checks'),
        placeholder: 'seconds',
      },
      ...inCurrency,
    },
    examples: [
      "cprice alert BTC '>170000'",
      "cprice alert ETH '24h<-5%'",
      "cprice alert SOL '<=0.25' --once --currency eur",
    ],
  },
  serve: {
    argument: '[options]',
    summary: 'run the service from a clone, with the options of npm start',
    options: {},
    examples: ['marketdata serve', 'marketdata serve --simulated --port 3001'],
    isOfShell: true,
    passesAll: true,
  },
  completion: {
    argument: '<shell>',
    values: shells,
    summary: `print the completion script for ${shells.join(', ')}`,
    options: {},
    examples: [
      'eval "$(marketdata completion bash)"',
      'marketdata completion fish > ~/.config/fish/conf.d/marketdata.fish',
    ],
    isOfShell: true,
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type OwnCommandName = keyof typeof commands;

/** Commands for this machine and its shell, and options of every program; the page has none of them. */
export const ownCommands: Readonly<Record<OwnCommandName, CommandSpec>> = commands;
export const frontEnd: FrontEnd = { program: 'marketdata', commands, options: settingTable };

export function ownCommandNamed(word: string | undefined): OwnCommandName | undefined {
  const name = word?.toLowerCase();
  return Object.keys(commands).find((key): key is OwnCommandName => key === name);
}

/** The usage of one terminal command, in lines of at most `width` cells. */
export function ownHelp(name: OwnCommandName, width: number): Line[] {
  return commandHelp([usageOf(name, frontEnd)], ownCommands[name], width);
}

/** The list of these commands, or of those that the prompt runs, for the general help. */
export function ownOverview(width: number, isPrompt = false): Line[] {
  const rows = Object.entries(ownCommands)
    .filter(([, { isOfShell }]) => !(isPrompt && isOfShell))
    .map(([name, { summary }]) => [name, summary] as const);
  return [[span('Only with marketdata', 'strong')], ...twoColumns(rows, width)];
}

/** The options and variables of every program, and its exit statuses. */
export function settingsLines(width: number): Line[] {
  const statuses = exitStatuses.map((meaning, status) => `${status} ${meaning}`).join(', ');
  return [
    [span('Options of every command', 'strong')],
    ...twoColumns([...optionRowsOf(settingTable), ...Object.entries(variableTable)], width),
    ...wrapped(`Exit status: ${statuses}`, width).map((text) => [span(text)]),
  ];
}
