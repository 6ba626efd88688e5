import type { OptionTable } from '../../commands/parse/options.ts';
import { commandNamed, commandNames, commandTable } from '../../commands/parse/table.ts';
import { shownCommands } from '../own-commands.ts';
import { type Program, programs } from '../programs.ts';
import { settingTable } from '../settings.ts';

/** A command as the scripts of all shells complete it. */
export interface CompletedCommand {
  /** Of it alone, for the names of functions. */
  readonly key: string;
  /** Words that call it. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** `symbol`: the program is asked for coins; undefined: nobody knows. */
  readonly argument: 'symbol' | readonly string[] | undefined;
}

export interface CompletedOption {
  readonly flag: string;
  readonly summary: string;
  /** Stands for the value; undefined for an option without one. */
  readonly placeholder: string | undefined;
  /** Whether the value may be left out. */
  readonly isOptional: boolean;
  /** Values of the option, as far as they are known. */
  readonly values: readonly string[];
}

function optionsOf(table: OptionTable): CompletedOption[] {
  const help = { help: { summary: 'how it is used' } };
  return Object.entries({ ...table, ...help } satisfies OptionTable).map(
    ([name, { summary, placeholder, isOptional = false, values = [] }]: [string, OptionTable[string]]) => ({
      flag: `--${name}`,
      summary,
      placeholder,
      isOptional,
      values,
    }),
  );
}

const isSymbol = (argument = '') => argument.startsWith('<symbol');

/** The commands of the core, then those of `marketdata` alone. */
export const commands: readonly CompletedCommand[] = [
  ...commandNames.map((name): CompletedCommand => {
    const { short, argument, summary, options } = commandTable[name];
    const known = name === 'help' ? namesOfAll() : undefined;
    return {
      key: name,
      names: short === undefined ? [name] : [short, name],
      summary,
      options: optionsOf({ ...options, ...settingTable }),
      argument: isSymbol(argument) ? 'symbol' : known,
    };
  }),
  ...shownCommands.map(
    ([name, { argument, values, summary, options }]): CompletedCommand => ({
      key: name,
      names: [name],
      summary,
      options: optionsOf(options),
      argument: isSymbol(argument) ? 'symbol' : values,
    }),
  ),
];

function namesOfAll(): string[] {
  return [
    ...commandNames.map((name) => commandTable[name].short ?? name),
    ...shownCommands.map(([name]) => name),
  ];
}

/** Those of `marketdata` before a command. */
export const leadingOptions = optionsOf(settingTable);

/** The programs that are a command each. */
export const commandPrograms: readonly (readonly [Program, CompletedCommand])[] = programs.flatMap(
  (program) => {
    const command = commands.find(({ key }) => key === commandNamed(program));
    return command ? [[program, command] as const] : [];
  },
);
