import type { OwnCommandName } from './own-commands.ts';
import type { RunOwn } from './session.ts';

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
