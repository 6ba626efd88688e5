import { commandSpan, type Line, span } from './format/text.ts';
import { wrapped } from './format/width.ts';
import {
  type CommandSpec,
  commandNames,
  commandTable,
  type OptionTable,
  optionText,
  usageOf,
} from './parse/table.ts';
import type { CommandName } from './result.ts';
import { defaultProtocol } from './sources.ts';

/** The least width of a column of text, in cells. */
const MIN_TEXT = 30;

/** The usage of one command, or the list of all, in lines of at most `width` cells. */
export function helpLines(topic: CommandName | undefined, width: number): Line[] {
  if (topic !== undefined) return commandHelp(usagesOf(topic), commandTable[topic], width);
  const rows = commandNames.map((name): [string, string] => {
    const { short = name, argument = '', summary } = commandTable[name];
    return [`${short} ${argument}`, summary];
  });
  return [
    [span('Commands', 'strong')],
    ...twoColumns(rows, width),
    [span('Help and examples of one command: '), commandSpan('help cchart')],
  ];
}

function usagesOf(name: CommandName): readonly string[] {
  const { short, argument } = commandTable[name];
  return [usageOf(name), ...(short ? [`${name} ${argument} --protocol ${defaultProtocol} [options]`] : [])];
}

/** Usage, summary, options and examples of a command. */
export function commandHelp(
  [usage = '', ...usages]: readonly string[],
  { summary, options, examples }: CommandSpec,
  width: number,
): Line[] {
  const optionRows = twoColumns(optionRowsOf(options), width);
  return [
    [span(`Usage: ${usage}`, 'strong')],
    ...usages.map((other) => [span(`       ${other}`)]),
    [],
    ...wrapped(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, width).map((text) => [span(text)]),
    ...(optionRows.length > 0 ? [[], [span('Options', 'strong')], ...optionRows] : []),
    [],
    [span('Examples', 'strong')],
    ...exampleLines(examples),
  ];
}

function exampleLines(examples: readonly string[]): Line[] {
  return examples.map((example) => [span('  '), commandSpan(example)]);
}

/** Options as typed, with their meanings. */
export function optionRowsOf(options: OptionTable): (readonly [string, string])[] {
  return Object.entries(options).map(([name, spec]) => [optionText(name, spec), spec.summary]);
}

/** Two columns; if the second would be too narrow, its text goes below the first. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number): Line[] {
  const leftWidth = Math.max(0, ...rows.map(([left]) => left.length)) + 4;
  const isStacked = width - leftWidth < MIN_TEXT;
  const indent = ' '.repeat(isStacked ? 6 : leftWidth);
  return rows.flatMap(([left, right]) => {
    const texts = wrapped(right, width - indent.length);
    if (isStacked) return [[span(`  ${left}`)], ...texts.map((text) => [span(`${indent}${text}`, 'muted')])];
    return texts.map((text, index) => [
      span(index === 0 ? `  ${left}`.padEnd(leftWidth) : indent),
      span(text, 'muted'),
    ]);
  });
}
