/**
 * A command line that cannot be understood; `usage` is that of the command, if it helps, and `meant` are command lines
 * that may have been meant.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly usage: string | undefined;
  readonly meant: readonly string[];

  constructor(message: string, usage?: string, meant: readonly string[] = []) {
    super(message);
    this.usage = usage;
    this.meant = meant;
  }
}
