/** A temporary folder outside the repository with a copy of every function, so that nothing resolves by accident. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TemplateFunction } from './template.ts';

/** A function whose files are in place and whose environment is complete. */
export interface PreparedFunction {
  readonly name: string;
  readonly handler: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly taskRoot: string;
  readonly environment: Readonly<Record<string, string>>;
}

// A frozen process cannot notice that the service was killed (SIGKILL), so this shell does: its standard input ends,
// and it kills the processes listed last and removes the folder.
const watchdogScript = `trap '' INT TERM HUP
while read -r line; do pids=$line; done
[ -n "$pids" ] && kill -9 $pids 2>/dev/null
rm -rf -- "$1"`;

export class Workspace {
  readonly folder: string;
  readonly #watchdog: ChildProcess;
  readonly #layerFolders = new Map<string, Promise<string>>();

  private constructor(folder: string) {
    this.folder = folder;
    this.#watchdog = spawn('/bin/sh', ['-c', watchdogScript, 'sh', folder], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      detached: true,
    });
    // Without such a shell, only the clean-up after a SIGKILL is lost.
    this.#watchdog.on('error', () => {});
    this.#watchdog.stdin?.on('error', () => {});
    this.#watchdog.unref();
  }

  static async create(): Promise<Workspace> {
    return new Workspace(await realpath(await mkdtemp(join(tmpdir(), 'marketdata-local-'))));
  }

  /** Copies a function's bundle and layers. `environment` becomes the function's, with the variables for its layers. */
  async prepare(fn: TemplateFunction, environment: Record<string, string>): Promise<PreparedFunction> {
    const taskRoot = join(this.folder, fn.id);
    await cp(fn.codeFolder, taskRoot, { recursive: true });
    const registry = join(await this.#copyLayers(fn.layerFolders), 'registry');
    // On Lambda a layer is at /opt; here a variable gives its path.
    const layerEnvironment: Record<string, string> = existsSync(registry) ? { REGISTRY_PATH: registry } : {};
    const { name, handler, memoryMb, timeoutSeconds } = fn;
    return {
      name,
      handler,
      memoryMb,
      timeoutSeconds,
      taskRoot,
      environment: { ...layerEnvironment, ...environment },
    };
  }

  /** One folder for all functions with the same layers: it is read-only, as on Lambda. */
  #copyLayers(layers: readonly string[]): Promise<string> {
    const key = layers.join('\n');
    const known = this.#layerFolders.get(key);
    if (known) return known;
    const target = join(this.folder, `opt-${this.#layerFolders.size}`);
    const copied = copyInto(target, layers);
    this.#layerFolders.set(key, copied);
    return copied;
  }

  /** Reports which processes must not outlive the service. */
  guard(pids: readonly number[]): void {
    this.#watchdog.stdin?.write(`${pids.join(' ')}\n`);
  }

  async remove(): Promise<void> {
    this.guard([]);
    this.#watchdog.stdin?.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function copyInto(target: string, folders: readonly string[]): Promise<string> {
  for (const folder of folders) await cp(folder, target, { recursive: true });
  return target;
}
