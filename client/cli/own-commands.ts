import type { OptionTable } from '../commands/parse/options.ts';
import type { Session } from './session.ts';
import type { Program } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command with the words behind its name; returns the exit status. Throws UsageError. */
export type RunOwn = (words: readonly string[], session: Session, terminal: Terminal) => Promise<number>;

/** A command of the terminal alone, which neither the page nor the service knows. */
export interface OwnCommand {
  /** The programs that have it as their first word. */
  readonly programs: readonly Program[];
  /** Such as `bash|zsh|fish`. */
  readonly argument: string | undefined;
  readonly summary: string;
  readonly options: OptionTable;
  readonly examples: readonly string[];
  /** Its module is read only when it runs. */
  readonly load: () => Promise<RunOwn>;
}

/** By name. The help, the completion and the man page read it too. */
export const ownCommands: Readonly<Record<string, OwnCommand>> = {};

/** The command of a program's own that a word names. */
export function ownCommandOf(program: Program, word: string | undefined): OwnCommand | undefined {
  const command = word !== undefined && Object.hasOwn(ownCommands, word) ? ownCommands[word] : undefined;
  return command?.programs.includes(program) ? command : undefined;
}
