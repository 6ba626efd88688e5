import { type Line, span, wrapped } from '../commands/format/text.ts';
import { optionTable, twoColumns } from '../commands/help.ts';
import { optionText } from '../commands/parse/options.ts';
import { usageOf } from '../commands/parse/table.ts';
import type { FailureReason, FailureResult } from '../commands/result.ts';
import { frontEnd, type OwnCommandName, ownCommands } from './own-commands.ts';
import { exitStatuses, settingTable, variableTable } from './settings.ts';

/** Why a command of the terminal alone failed, in the lines of a message. */
export function failed(message: string, reason: FailureReason = 'failed'): FailureResult {
  const lines = message.split('\n').map((text) => [span(text, 'error')]);
  return { kind: 'failure', reason, lines, isUnreachable: false };
}

/** The usage of one command of the terminal alone, in lines of at most `width` cells. */
export function ownHelp(name: OwnCommandName, width: number): Line[] {
  const { summary, options, examples } = ownCommands[name];
  const optionRows = optionTable(options, width);
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return [
    [span(`Usage: ${usageOf(name, frontEnd)}`, 'strong')],
    [],
    ...wrapped(sentence, width).map((text): Line => [span(text)]),
    ...(optionRows.length > 0 ? [[], [span('Options', 'strong')], ...optionRows] : []),
    [],
    [span('Examples', 'strong')],
    ...examples.map((example): Line => [span(`  ${example}`)]),
  ];
}

/** The list of these commands, or of those that the prompt runs, for the help of all. */
export function ownOverview(width: number, isPrompt = false): Line[] {
  const rows = Object.entries(ownCommands)
    .filter(([, { isHidden, isOfShell }]) => !isHidden && !(isPrompt && isOfShell))
    .map(([name, { argument, summary }]) => [[name, argument].filter(Boolean).join(' '), summary] as const);
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
