import { shownCommands } from '../../client/cli/own-commands.ts';
import { programs } from '../../client/cli/programs.ts';
import { DEFAULT_URL, exitStatuses, settingTable, variableTable } from '../../client/cli/settings.ts';
import { usageOf } from '../../client/commands/help.ts';
import { type OptionTable, optionText } from '../../client/commands/parse/options.ts';
import { commandNames, commandTable } from '../../client/commands/parse/table.ts';
import { bold, escaped, item, section, subsection, verbatim } from './troff.ts';

const MAIN = 'marketdata';

/** The manual pages by the names of their files: one for all programs, to which those of the others lead. */
export function manPages(): Readonly<Record<string, string>> {
  const others = programs.filter((program) => program !== MAIN);
  return {
    [`${MAIN}.1`]: mainPage(),
    ...Object.fromEntries(others.map((program) => [`${program}.1`, `.so man1/${MAIN}.1\n`])),
  };
}

const header = '.\\" Written by npm run generate from the table of commands.';

const description = [
  'Each program is one command to a marketdata-api service. Every answer names its source and how old it is.',
  `${MAIN} takes the command as its first word; alone it opens a prompt with history and completion, or reads commands line by line from a pipe.`,
];

function mainPage(): string {
  const lines = [
    header,
    `.TH MARKETDATA 1 "" "marketdata\\-cli" "User commands"`,
    section('NAME'),
    `${programs.join(', ')} \\- prices, search and charts of crypto assets`,
    section('SYNOPSIS'),
    ...commandNames
      .filter((name) => commandTable[name].short !== undefined)
      .flatMap((name) => [bold(usageOf(name)), '.br']),
    bold(`${MAIN} [command] [options]`),
    section('DESCRIPTION'),
    description.map(escaped).join('\n.PP\n'),
    section('COMMANDS'),
    ...commandNames.map(commandText),
    ...shownCommands.map(([name, { argument = '', summary, options, examples }]) =>
      textOf({ title: `${MAIN} ${name} ${argument}`.trim(), summary, options, examples }),
    ),
    section('OPTIONS'),
    'Of every program, besides those of its command.',
    ...items(settingTable),
    item('--help', 'how the command is used'),
    item('--', 'nothing behind it is an option'),
    section('ENVIRONMENT'),
    item('MARKETDATA_URL', `the address of the service, unless --url names another (default ${DEFAULT_URL})`),
    ...Object.entries(variableTable).map(([name, meaning]) => item(name, meaning)),
    item('NO_COLOR', 'no colours, whatever it is set to'),
    item('FORCE_COLOR', 'colours without a terminal too, unless it is 0'),
    section('EXIT STATUS'),
    ...exitStatuses.map((meaning, status) => item(String(status), meaning)),
    section('FILES'),
    item('$XDG_STATE_HOME/marketdata/history', 'the lines of the prompt (default in ~/.local/state)'),
  ];
  return `${lines.join('\n')}\n`;
}

interface CommandText {
  readonly title: string;
  readonly summary: string;
  readonly options: OptionTable;
  readonly examples: readonly string[];
}

function commandText(name: (typeof commandNames)[number]): string {
  const { short, argument = '', summary, options, examples } = commandTable[name];
  const names = short === undefined ? name : `${short}, ${name}`;
  return textOf({ title: `${names} ${argument}`.trim(), summary, options, examples });
}

function textOf({ title, summary, options, examples }: CommandText): string {
  return [
    subsection(title),
    `${escaped(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}`)}.`,
    ...items(options),
    verbatim(examples),
  ].join('\n');
}

const items = (options: OptionTable) =>
  Object.entries(options).map(([name, spec]) => item(optionText(name, spec), spec.summary));
