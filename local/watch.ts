/** `--watch`: the service in a process of its own, replaced after every change that builds. */
import { type ChildProcess, fork } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { end } from './loopback.ts';

const root = join(import.meta.dirname, '..');
/** Saving in an editor causes several changes at once. */
const SETTLE_MS = 150;

/**
 * Runs `local/main.ts` with `args`, which must not include watching or building. It needs a new process, because one
 * that has imported the routes keeps them. A failing build leaves the running service untouched.
 */
export function watchAndServe(
  args: readonly string[],
  build: () => Promise<void>,
  log: (line: string) => void,
): { close(): Promise<void> } {
  let service = start(args);
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();

  const rebuild = async () => {
    try {
      log('Change seen, building …');
      await build();
      await stop(service);
      service = start(args);
    } catch (error) {
      log(`${error instanceof Error ? error.message : error}\nStill serving the build before.`);
    }
  };
  for (const folder of ['functions', 'shared', 'client']) {
    watch(join(root, folder), { recursive: true }, (_event, file) => {
      if (file?.endsWith('.test.ts')) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        work = work.then(rebuild);
      }, SETTLE_MS);
    });
  }
  return { close: () => stop(service) };
}

function start(args: readonly string[]): ChildProcess {
  const service = fork(join(root, 'local/main.ts'), args, { cwd: root, execArgv: [] });
  // It has printed the reason, for example that the port is in use.
  service.on('exit', endTogether);
  return service;
}

function endTogether(code: number | null): void {
  process.exit(code ?? 1);
}

async function stop(service: ChildProcess): Promise<void> {
  service.off('exit', endTogether);
  await end(service, 'SIGTERM');
}
