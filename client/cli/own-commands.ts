import type { OptionTable } from '../commands/parse/options.ts';
import { alertOptions } from './alert/options.ts';
import type { Program } from './programs.ts';
import { watchOptions } from './watch/options.ts';

/** A command of the terminal alone: it is about this machine and its shell, so the page has none of them. */
export interface OwnCommandSpec {
  /** The programs that have it as their first word. */
  readonly programs: readonly Program[];
  readonly argument?: string;
  /** What the argument may be, if that is known. */
  readonly values?: readonly string[];
  readonly summary: string;
  readonly options: OptionTable;
  readonly examples: readonly string[];
  /** True if people do not type it: help and completion leave it out. */
  readonly isHidden?: boolean;
  /** True if it is of no use in the prompt, which neither runs nor offers it. */
  readonly isOfShell?: boolean;
  /** True if all words behind its name are its own, also those that are settings of every program. */
  readonly passesAll?: boolean;
}

/** The shells that there is a completion for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

const table = {
  watch: {
    programs: ['marketdata'],
    argument: '[add|remove <symbol…>]',
    summary: 'your list of coins, living; cprice alone is the same',
    options: watchOptions,
    examples: ['watch', 'watch --currency eur', 'watch add BTC ETH'],
  },
  hold: {
    programs: ['marketdata'],
    argument: '[<symbol> <amount> [@ <price>]]',
    summary: 'what you hold of a coin, and what it is worth',
    options: watchOptions,
    examples: ['hold', 'hold BTC 0.5 @ 60000', 'hold BTC +0.1 @ 65000', 'hold BTC 0'],
  },
  config: {
    programs: ['marketdata'],
    argument: '[get|set|unset|export|import …]',
    summary: 'settings that stay: watchlist, holdings, currency, url',
    options: {},
    examples: ['config', 'config set currency eur', 'config export backup.json', 'config import backup.json'],
  },
  alert: {
    programs: ['cprice', 'price', 'marketdata'],
    argument: '<symbol> <condition>',
    summary: 'waits until a price or its change is above or below a limit; with --once tells whether it is',
    options: alertOptions,
    examples: [
      "cprice alert BTC '>170000'",
      "cprice alert ETH '24h<-5%'",
      "cprice alert SOL '<=0.25' --once --currency eur",
    ],
  },
  serve: {
    programs: ['marketdata'],
    argument: '[options]',
    summary: 'serve prices on this machine, from a clone of the repository, with the options of npm start',
    options: {},
    examples: ['marketdata serve', 'marketdata serve --simulated --port 3001'],
    isOfShell: true,
    passesAll: true,
  },
  completion: {
    programs: ['marketdata'],
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
  complete: {
    programs: ['marketdata'],
    summary: 'candidates for the last of the words behind --',
    options: {},
    examples: [],
    isHidden: true,
    isOfShell: true,
    passesAll: true,
  },
} as const satisfies Readonly<Record<string, OwnCommandSpec>>;

export type OwnCommandName = keyof typeof table;

/** Every command of the terminal alone; what runs them is in own-runs.ts. The help and the completion read it too. */
export const ownCommands: Readonly<Record<OwnCommandName, OwnCommandSpec>> = table;

/** Those that people type, by their names. */
export const shownCommands: readonly (readonly [string, OwnCommandSpec])[] = Object.entries(
  ownCommands,
).filter(([, { isHidden }]) => !isHidden);

/** Of these, those of the prompt. */
export const promptCommands = shownCommands.filter(([, { isOfShell }]) => !isOfShell);

/** The command that a program's first word names, in any case; undefined if it names none. */
export function ownCommandNamed(program: Program, word: string | undefined): OwnCommandName | undefined {
  const name = word?.toLowerCase();
  return Object.keys(ownCommands)
    .filter((key): key is OwnCommandName => key === name)
    .find((key) => ownCommands[key].programs.includes(program));
}
