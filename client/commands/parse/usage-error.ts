import type { CommandName } from '../command.ts';

/**
 * A command line that cannot be understood; `command` is the one whose usage helps, and `meant` are command lines that
 * may have been meant.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly command: CommandName | undefined;
  readonly meant: readonly string[];

  constructor(message: string, command?: CommandName, meant: readonly string[] = []) {
    super(message);
    this.command = command;
    this.meant = meant;
  }
}
