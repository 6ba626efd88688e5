import type { FailureResult } from '../commands/result.ts';
import type { OwnCommandName } from './own-commands.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command with the words behind its name; returns the exit status, or a failure to print. Throws UsageError and ConfigError. */
export type RunOwn = (
  words: readonly string[],
  session: Session,
  terminal: Terminal,
) => number | FailureResult | Promise<number | FailureResult>;

/** What runs the commands of the terminal alone: each module is read only when its command is. */
export const ownRuns: Readonly<Record<OwnCommandName, () => Promise<RunOwn>>> = {
  watch: async () => (await import('./watch/watch.ts')).runWatch,
  hold: async () => (await import('./watch/hold.ts')).runHold,
  config: async () => (await import('./config/command.ts')).runConfig,
  alert: async () => (await import('./alert/alert.ts')).runAlert,
  serve: async () => (await import('./serve/serve.ts')).serve,
  completion: async () => (await import('./completion/completion.ts')).printCompletion,
  complete: async () => (await import('./completion/candidates.ts')).printCandidates,
};
