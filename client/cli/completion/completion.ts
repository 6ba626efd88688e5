import { UsageError } from '../../commands/parse/usage-error.ts';
import { shells } from '../own-commands.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

type Shell = (typeof shells)[number];

const scripts: Readonly<Record<Shell, () => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `marketdata completion <shell>`: the script that completes the programs there. Throws UsageError. */
export function printCompletion(
  [name, ...more]: readonly string[],
  _session: Session,
  { stdout }: Terminal,
): number {
  const shell = shells.find((known) => known === name);
  if (shell === undefined || more.length > 0) {
    const given = name === undefined ? 'Missing shell' : `Unknown shell ${[name, ...more].join(' ')}`;
    throw new UsageError(`${given}; known: ${shells.join(', ')}`);
  }
  stdout.write(scripts[shell]());
  return 0;
}
