/** `--watch`: the service in a process of its own, replaced after every change that builds. */
import { type ChildProcess, fork } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { end } from './loopback.ts';

const root = join(import.meta.dirname, '..');
/** Saving in an editor causes several changes at once. */
const SETTLE_MS = 150;

/**
 * Runs a program with `args`, which must not include watching or building. It needs a new process, because one that has imported
 * the routes keeps them. A failing build leaves the running service untouched.
 */
export function watchAndServe(
  program: string,
  args: readonly string[],
  build: () => Promise<void>,
  log: (line: string) => void,
): { close(): Promise<void> } {
  const start = () => startService(program, args);
  let service = start();
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();

  const rebuild = async () => {
    try {
      log('Change seen, building …');
      await build();
      await stop(service);
      service = start();
    } catch (error) {
      log(`${error instanceof Error ? error.message : error}\nStill serving the build before.`);
    }
  };
  for (const folder of ['functions', 'shared', 'client', 'http-api', 'server']) {
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

function startService(program: string, args: readonly string[]): ChildProcess {
  const service = fork(program, args, { cwd: root, execArgv: [] });
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
