import { programs } from '../programs.ts';
import {
  type CompletedCommand,
  type CompletedOption,
  commandPrograms,
  commands,
  leadingOptions,
} from './commands.ts';

/** For fish from 3.0 on. */
export function fishScript(): string {
  return `# Completes ${programs.join(', ')} in fish; written by: marketdata completion fish

function __marketdata_symbols
  set -l word (commandline -ct)
  # The options are known.
  string match -q -- '-*' "$word"; and return
  command marketdata complete -- price "$word" 2>/dev/null | string unescape
end

${commandPrograms.map(([program, command]) => linesOf(`complete -c ${program}`, command).join('\n')).join('\n\n')}

complete -c marketdata -f
${[...commands.flatMap(nameLines), ...leadingOptions.map((option) => optionLine('complete -c marketdata -n __fish_use_subcommand', option))].join('\n')}

${commands.map((command) => linesOf(`complete -c marketdata -n '__fish_seen_subcommand_from ${command.names.join(' ')}'`, command).join('\n')).join('\n\n')}
`;
}

const nameLines = ({ names, summary }: CompletedCommand) =>
  names.map((name) => `complete -c marketdata -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`);

function linesOf(start: string, { options, argument }: CompletedCommand): string[] {
  const words = argument === 'symbol' ? "'(__marketdata_symbols)'" : quoted((argument ?? []).join(' '));
  return [
    argument === undefined ? `${start} -f` : `${start} -f -a ${words}`,
    ...options.map((option) => optionLine(start, option)),
  ];
}

function optionLine(
  start: string,
  { flag, summary, placeholder, isOptional, values }: CompletedOption,
): string {
  const value =
    placeholder === undefined || isOptional
      ? ''
      : ` -x${values.length > 0 ? ` -a ${quoted(values.join(' '))}` : ''}`;
  return `${start} -l ${flag.slice(2)}${value} -d ${quoted(summary)}`;
}

const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
