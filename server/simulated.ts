/** The simulated sources: a process of their own, from which the objects in a server's folder get their past. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SimulatedSources } from '../local/simulated/main.ts';
import { isMissing } from '../shared/folder/objects.ts';
import { type ServerFolder, useFolder } from '../shared/folder/open-folder.ts';
import { HISTORY_PREFIX } from '../shared/marketdata/store/names.ts';
import { type Objects, replacing } from '../shared/platform/objects.ts';
import { ConditionFailed } from '../shared/platform/s3-error.ts';

const READ_MS = 30_000;

export interface Simulation {
  readonly sources: SimulatedSources;
  close(): void;
}

/** Starts them. Throws an Error if the sources of the program are not here, or a fault's text is bad. */
export async function startSimulation(faults: readonly string[]): Promise<Simulation> {
  const program = [`../local/simulated/main.ts`, '../../local/simulated/main.ts']
    .map((path) => join(import.meta.dirname, path))
    .find((path) => existsSync(path));
  if (program === undefined)
    throw new Error('Simulated prices need a checkout of the repository: start with --live');
  const child = fork(program, faults, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('The simulated sources did not start');
    }),
  ]);
  child.unref();
  child.channel?.unref();
  const sources = message as SimulatedSources; // what its program sends
  return { sources, close: () => child.connected && child.disconnect() };
}

/** Makes the code of this process use the folder; one of simulated prices has the past of their market. */
export function useFolderWith(folder: ServerFolder, simulation: SimulatedSources | undefined): void {
  const { objects } = folder;
  useFolder(folder, simulation && ((prefix) => withPast(objects(prefix), prefix, simulation)));
}

/** Objects whose history is completed by the simulated past, each when it is first read. */
function withPast(objects: Objects, prefix: string, { past, listed }: SimulatedSources): Objects {
  if (prefix !== HISTORY_PREFIX) return objects;
  const complete = completerOf(objects, prefix, past);
  return {
    ...objects,
    async get(name, signal) {
      await complete(name);
      return objects.get(name, signal);
    },
    async getRange(name, range, signal, heldEtag) {
      await complete(name);
      return objects.getRange(name, range, signal, heldEtag);
    },
    async getNewer(name, etag, options) {
      await complete(name);
      return objects.getNewer(name, etag, options);
    },
    async list(beginning, ...others) {
      const names = listed.flatMap((name) =>
        name.startsWith(prefix + beginning) ? [name.slice(prefix.length)] : [],
      );
      return [...new Set([...(await objects.list(beginning, ...others)), ...names])].sort();
    },
  };
}

/** Puts what a store with a past has from the beginning, unless it is there. */
export async function putSeeds(objects: Objects, { past, seeds }: SimulatedSources): Promise<void> {
  const complete = completerOf(objects, '', past);
  for (const name of seeds) await complete(name);
}

const asked = new Set<string>();

function completerOf(objects: Objects, prefix: string, past: string): (name: string) => Promise<void> {
  return async (name) => {
    if (asked.has(prefix + name)) return;
    const stored = await objects.get(name, AbortSignal.timeout(READ_MS)).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    const path = (prefix + name).split('/').map(encodeURIComponent).join('/');
    const response = await fetch(`${past}/${path}`, {
      method: 'POST',
      body: new Uint8Array(stored?.bytes ?? []),
    });
    const made = new Uint8Array(await response.arrayBuffer());
    asked.add(prefix + name);
    if (response.status !== 200) return;
    try {
      await objects.put(name, made, 'application/octet-stream', replacing(stored?.etag));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error; // another thread has completed it
    }
  };
}
