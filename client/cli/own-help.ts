import { type Line, span, wrapped } from '../commands/format/text.ts';
import { optionTable, twoColumns } from '../commands/help.ts';
import { optionText } from '../commands/parse/options.ts';
import { type OwnCommandName, ownCommands, promptCommands, shownCommands } from './own-commands.ts';
import { exitStatuses, settingTable, variableTable } from './settings.ts';

/** The usage of one command of the terminal alone, in lines of at most `width` cells. */
export function ownHelp(name: OwnCommandName, width: number): Line[] {
  const { summary, options, examples } = ownCommands[name];
  const optionRows = optionTable(options, width);
  return [
    [span(`Usage: ${ownUsage(name)}`, 'strong')],
    [],
    ...wrapped(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, width).map(
      (text): Line => [span(text)],
    ),
    ...(optionRows.length > 0 ? [[], [span('Options', 'strong')], ...optionRows] : []),
    [],
    [span('Examples', 'strong')],
    ...examples.map((example): Line => [span(`  ${example}`)]),
  ];
}

/** `cprice alert <symbol> <condition>`. */
export function ownUsage(name: OwnCommandName): string {
  return `${ownCommands[name].programs[0] ?? 'marketdata'} ${usageOf(name)}`;
}

/** The list of these commands, or of those that the prompt runs, for the help of all. */
export function ownOverview(width: number, isPrompt = false): Line[] {
  const rows = (isPrompt ? promptCommands : shownCommands).map(
    ([name, { summary }]) => [usageOf(name), summary] as const,
  );
  return [[span('Of marketdata alone', 'strong')], ...twoColumns(rows, width)];
}

/** The options and variables of every program, and its exit statuses. */
export function settingsLines(width: number): Line[] {
  const rows = [
    ...Object.entries(settingTable).map(([name, spec]) => [optionText(name, spec), spec.summary] as const),
    ...Object.entries(variableTable),
  ];
  const statuses = exitStatuses.map((meaning, status) => `${status} ${meaning}`).join(', ');
  return [
    [span('In the terminal also', 'strong')],
    ...twoColumns(rows, width),
    [],
    ...wrapped(`Exit status: ${statuses}`, width).map((text): Line => [span(text)]),
  ];
}

function usageOf(name: string): string {
  const command = shownCommands.find(([known]) => known === name)?.[1];
  return [name, command?.argument].filter(Boolean).join(' ');
}
