import { programs } from '../programs.ts';
import { type CompletedCommand, commands, leadingOptions } from './commands.ts';

/** For bash from 3.2 on, which macOS has: without `mapfile` and arrays by name. */
export function bashScript(): string {
  const names = commands.flatMap((command) => command.names);
  const start = { key: '*', options: leadingOptions, argument: names };
  return `# Completes ${programs.join(', ')} in bash; written by: marketdata completion bash

_marketdata_symbols() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(command marketdata complete -- price "$1" 2>/dev/null)
}

_marketdata() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} word command='' arguments='' options='' symbols=''
  COMPREPLY=()
  # Bash takes --name=value apart.
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[0]##*/}" "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
${commands.map(({ key, names }) => `      ${names.join('|')}) command=${key}; break ;;`).join('\n')}
    esac
  done
  case $command in
${[...commands, start].map(branchOf).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    # Each is given once.
    for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do options=\${options/ $word / }; done
    arguments=$options
  elif [[ -n $symbols ]]; then
    _marketdata_symbols "$cur"
    return
  fi
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$arguments" -- "$cur")
}

complete -F _marketdata ${programs.join(' ')}
`;
}

function branchOf({
  key,
  options,
  argument,
}: Pick<CompletedCommand, 'key' | 'options' | 'argument'>): string {
  const withValue = options.filter(({ placeholder, isOptional }) => placeholder !== undefined && !isOptional);
  const values = withValue.map(({ flag, values }) => `        ${flag}) arguments='${values.join(' ')}' ;;`);
  const flags = options.map(({ flag }) => flag).join(' ');
  const known = argument === 'symbol' ? 'symbols=1' : `arguments='${(argument ?? []).join(' ')}'`;
  return [
    `    ${key})`,
    '      case $prev in',
    ...values,
    `        *) options=' ${flags} ' ${known} ;;`,
    '      esac ;;',
  ].join('\n');
}
