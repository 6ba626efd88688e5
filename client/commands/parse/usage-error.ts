import type { CommandName } from '../command.ts';

/** A command line that cannot be understood; `command` is the one whose usage helps. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly command: CommandName | undefined;

  constructor(message: string, command?: CommandName) {
    super(message);
    this.command = command;
  }
}
