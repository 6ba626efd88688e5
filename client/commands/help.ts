import { commandSpan, type Line, span, wrapped } from './format/text.ts';
import { commandNames, commandTable, type OptionTable, optionText, usageOf } from './parse/table.ts';
import type { CommandName } from './result.ts';
import { defaultProtocol } from './sources.ts';

/** The least width of a column of text, in cells. */
const MIN_TEXT = 30;

/** The usage of one command, or the list of all, in lines of at most `width` cells. */
export function helpLines(topic: CommandName | undefined, width: number): Line[] {
  return topic === undefined ? overview(width) : helpOf(topic, width);
}

function overview(width: number): Line[] {
  const rows = commandNames.map((name): [string, string] => {
    const { short = name, argument = '', summary } = commandTable[name];
    return [`${short} ${argument}`, summary];
  });
  return [
    [span('Commands', 'strong')],
    ...twoColumns(rows, width),
    [],
    [span('Examples', 'strong')],
    ...commandNames.flatMap((name) => examplesOf(name).slice(0, 1)),
    [],
    [span('More on one: '), commandSpan('help cchart')],
  ];
}

function helpOf(name: CommandName, width: number): Line[] {
  const { short, argument, summary, options } = commandTable[name];
  const optionRows = optionTable(options, width);
  return [
    [span(`Usage: ${usageOf(name)}`, 'strong')],
    ...(short ? [[span(`       ${name} ${argument} --protocol ${defaultProtocol} [options]`)]] : []),
    [],
    [span(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)],
    ...(optionRows.length > 0 ? [[], [span('Options', 'strong')], ...optionRows] : []),
    [],
    [span('Examples', 'strong')],
    ...examplesOf(name),
  ];
}

function examplesOf(name: CommandName): Line[] {
  return commandTable[name].examples.map((example) => [span('  '), commandSpan(example)]);
}

export function optionTable(options: OptionTable, width: number): Line[] {
  const rows = Object.entries(options).map(([name, spec]) => [optionText(name, spec), spec.summary] as const);
  return twoColumns(rows, width);
}

/** Two columns; if the second would be too narrow to read, it stands below the first. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number): Line[] {
  const leftWidth = Math.max(0, ...rows.map(([left]) => left.length)) + 4;
  const isStacked = width - leftWidth < MIN_TEXT;
  const indent = ' '.repeat(isStacked ? 6 : leftWidth);
  return rows.flatMap(([left, right]) => {
    const [first = '', ...more] = wrapped(right, width - indent.length);
    const others = more.map((text): Line => [span(`${indent}${text}`, 'muted')]);
    if (isStacked) return [[span(`  ${left}`)], [span(`${indent}${first}`, 'muted')], ...others];
    return [[span(`  ${left}`.padEnd(leftWidth)), span(first, 'muted')], ...others];
  });
}
