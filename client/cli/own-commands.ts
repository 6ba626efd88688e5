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
    summary: 'your list of coins, living; cprice alone is the same',
    options: inCurrency,
    examples: ['watch', 'watch --currency eur', 'watch add BTC ETH'],
  },
  hold: {
    argument: '[<symbol> <amount> [@ <price>]]',
    summary: 'what you hold of a coin, and what it is worth',
    options: inCurrency,
    examples: ['hold', 'hold BTC 0.5 @ 60000', 'hold BTC +0.1 @ 65000', 'hold BTC 0'],
  },
  config: {
    argument: '[get|set|unset|export|import …]',
    values: ['get', 'set', 'unset', 'export', 'import'],
    summary: 'settings that stay: currency, url; and the portfolio: watchlist, holdings',
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
    summary: 'waits until a price or its change is above or below a limit; with --once tells whether it is',
    options: {
      once: { summary: 'looks once and ends: 0 if the condition holds, 5 if it does not' },
      every: {
        ...integer(5, 86_400, 'looks no more often than this; else when the price may be a new one'),
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
    summary: 'serve prices on this machine, from a clone of the repository, with the options of npm start',
    options: {},
    examples: ['marketdata serve', 'marketdata serve --simulated --port 3001'],
    isOfShell: true,
    passesAll: true,
  },
  completion: {
    argument: '<shell>',
    values: shells,
    summary: `a script that completes the programs in ${shells.join(', ')}`,
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
    .map(([name, { argument, summary }]) => [[name, argument].filter(Boolean).join(' '), summary] as const);
  return [[span('Of marketdata alone', 'strong')], ...twoColumns(rows, width)];
}

/** The options and variables of every program, and its exit statuses. */
export function settingsLines(width: number): Line[] {
  const statuses = exitStatuses.map((meaning, status) => `${status} ${meaning}`).join(', ');
  return [
    [span('In the terminal also', 'strong')],
    ...twoColumns([...optionRowsOf(settingTable), ...Object.entries(variableTable)], width),
    [],
    ...wrapped(`Exit status: ${statuses}`, width).map((text) => [span(text)]),
  ];
}
