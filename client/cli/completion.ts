import { basename } from 'node:path';
import { complete } from '../commands/complete.ts';
import { UsageError } from '../commands/parse/words.ts';
import { frontEnd, programs, shells } from './own-commands.ts';
import { createSession, type Session } from './session.ts';
import { settingsOf } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** A longer wait would be noticed while typing. */
const TIMEOUT_MS = 1000;

/** Each script calls `marketdata complete` for the candidates of the word at the cursor, so none contains a list of commands. */
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  // Works with bash 3.2, as on macOS: no `mapfile`. Bash splits --name=value.
  bash: `_marketdata() {
  local word cur=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]:0:COMP_CWORD+1}")
  COMPREPLY=()
  if [[ $cur == '=' ]]; then words[COMP_CWORD]=''; fi
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(command marketdata complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _marketdata ${programs.join(' ')}
`,
  zsh: `#compdef ${programs.join(' ')}
_marketdata() {
  local -a candidates
  candidates=(\${(f)"$(command marketdata complete -- \${(Q)words[1,CURRENT]} 2>/dev/null)"})
  compadd -M 'm:{[:lower:]}={[:upper:]}' -Q -a candidates
}
if [[ $funcstack[1] == _marketdata ]]; then _marketdata "$@"; else compdef _marketdata ${programs.join(' ')}; fi
`,
  fish: `function __marketdata_candidates
  command marketdata complete -- (commandline -opc) (commandline -ct) 2>/dev/null | string unescape
end
${programs.map((program) => `complete -c ${program} -f -a '(__marketdata_candidates)'`).join('\n')}
`,
};

/** `marketdata completion <shell>`: prints the completion script for that shell. Throws UsageError. */
export function printCompletion(
  { positional: [name, ...more] }: { readonly positional: readonly string[] },
  _session: Session,
  { stdout }: Terminal,
): number {
  const shell = shells.find((known) => known === name);
  if (shell === undefined || more.length > 0) {
    const given = name === undefined ? 'Missing shell' : `Unknown shell ${[name, ...more].join(' ')}`;
    throw new UsageError(`${given}; known: ${shells.join(', ')}`);
  }
  stdout.write(scripts[shell]);
  return 0;
}

/**
 * `marketdata complete -- <words>`: candidates for the last word, one per line, in the shell's format. Prints nothing
 * on failure: output would corrupt the line being typed.
 */
export async function printCandidates(
  [, ...args]: readonly string[],
  { stdout, env }: Terminal,
): Promise<number> {
  const [first = '', ...rest] = args.filter((word, index) => word !== '=' && (index > 0 || word !== '--'));
  const program = basename(first);
  const words = program === 'marketdata' && rest.length > 0 ? rest : [program, ...rest];
  try {
    const settings = settingsOf({ name: 'complete', positional: [], values: new Map(), isHelp: false }, env);
    const api = createSession(settings, env).apiWith({ timeoutMs: TIMEOUT_MS });
    const { candidates } = await complete(words.join(' '), api, frontEnd);
    stdout.write(candidates.map((candidate) => `${candidate}\n`).join(''));
  } catch {
    // The next command reports invalid settings.
  }
  return 0;
}
