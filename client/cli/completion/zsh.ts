import { programs } from '../programs.ts';
import {
  type CompletedCommand,
  type CompletedOption,
  commandPrograms,
  commands,
  leadingOptions,
} from './commands.ts';

/** As a file `_marketdata` of a folder in `fpath`, or sourced. */
export function zshScript(): string {
  return `#compdef ${programs.join(' ')}
# Completes ${programs.join(', ')} in zsh; written by: marketdata completion zsh

_marketdata_symbols() {
  # The options are known.
  [[ $PREFIX == -* ]] && return 1
  local -a symbols
  symbols=(\${(f)"$(command marketdata complete -- price "$PREFIX" 2>/dev/null)"})
  compadd -M 'm:{[:lower:]}={[:upper:]}' -Q -a symbols
}

${commands.map(functionOf).join('\n\n')}

_marketdata() {
  local curcontext=$curcontext state line name=\${service:-\${words[1]:t}}
  local -a commands
  case $name in
${commandPrograms.map(([program, { key }]) => `    ${program}) _marketdata_${key}; return ;;`).join('\n')}
  esac
  _arguments -C${leadingOptions.map(optionText).join('')} \\
    '1: :->command' \\
    '*:: :->words' && return
  case $state in
    command)
      commands=(
${commands.flatMap(({ names, summary }) => names.map((name) => `        ${quoted(`${name}:${summary}`)}`)).join('\n')}
      )
      _describe -t commands command commands ;;
    words)
      case $words[1] in
${commands.map(({ key, names }) => `        ${names.join('|')}) _marketdata_${key} ;;`).join('\n')}
      esac ;;
  esac
}

if [[ $funcstack[1] == _marketdata ]]; then _marketdata "$@"; else compdef _marketdata ${programs.join(' ')}; fi
`;
}

function functionOf({ key, options, argument }: CompletedCommand): string {
  const rest =
    argument === undefined
      ? ''
      : ` \\\n    ${argument === 'symbol' ? "'*:symbol:_marketdata_symbols'" : quoted(`1: :(${argument.join(' ')})`)}`;
  return `_marketdata_${key}() {\n  _arguments${options.map(optionText).join('')}${rest}\n}`;
}

function optionText({ flag, summary, placeholder, isOptional, values }: CompletedOption): string {
  const told = `[${escaped(summary)}]`;
  const text =
    placeholder === undefined
      ? `${flag}${told}`
      : `${flag}=${told}${isOptional ? '::' : ':'}${escaped(placeholder)}:${values.length > 0 ? `(${values.join(' ')})` : ' '}`;
  return ` \\\n    ${quoted(text)}`;
}

const escaped = (text: string) => text.replaceAll(/[[\]:\\]/g, '\\$&');

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
