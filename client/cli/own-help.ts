import { wrapped } from '../commands/format/text.ts';
import { type OwnCommandName, ownCommands, shownCommands } from './own-commands.ts';

const LEFT_WIDTH = 21;

/** The usage of one command of `marketdata` alone, in lines of at most `width` cells. */
export function ownHelp(name: OwnCommandName, width: number): string {
  const { summary, examples } = ownCommands[name];
  const lines = [
    `Usage: marketdata ${usageOf(name)}`,
    '',
    ...wrapped(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, width),
    '',
    'Examples',
    ...examples.map((example) => `  ${example}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** The list of these commands, for the help of all. */
export function ownOverview(width: number): string {
  const lines = shownCommands.flatMap(([name, { argument = '', summary }]) => {
    const [first = '', ...more] = wrapped(summary, Math.max(width - LEFT_WIDTH - 4, LEFT_WIDTH));
    const left = `${name} ${argument}`.trim();
    return [
      `  ${left.padEnd(LEFT_WIDTH)}  ${first}`,
      ...more.map((text) => ' '.repeat(LEFT_WIDTH + 4) + text),
    ];
  });
  return `Of marketdata alone\n${lines.join('\n')}\n`;
}

function usageOf(name: OwnCommandName): string {
  return [name, ownCommands[name].argument].filter(Boolean).join(' ');
}
