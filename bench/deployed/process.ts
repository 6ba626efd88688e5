/** Deployed functions, each in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A script of bench/ that speaks by messages, with this environment alone. */
export function startProcess(
  script: string,
  argument: string,
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const child = fork(join(import.meta.dirname, '..', script), [argument], {
    env: { ...environment },
    // What is loaded before the bench, such as another clock, is loaded before a function too.
    execArgv: process.execArgv,
    // Metrics go down a pipe that somebody reads, as on Lambda.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  return child;
}

/** Of one run, over all its timed calls. */
export interface Warm {
  readonly p50Us: number;
  readonly p99Us: number;
}

interface WarmRun {
  /** For errors. */
  readonly name: string;
  /** Path of the function's `index.mjs`. */
  readonly bundle: string;
  readonly event: unknown;
  readonly environment: Readonly<Record<string, string>>;
  readonly warmUpCalls: number;
  readonly calls: number;
  /** Throws if the first answer is not the expected one. */
  readonly check: (answer: unknown) => void;
}

/** Times warm calls of a function in a fresh process. Rejects if it ends without figures. */
export async function measureWarm(run: WarmRun): Promise<Warm> {
  const { name, bundle, event, environment, warmUpCalls, calls, check } = run;
  const job = { bundle: pathToFileURL(bundle).href, event: JSON.stringify(event), warmUpCalls, calls };
  const child = startProcess('functions/measure.mjs', JSON.stringify(job), environment);
  const messages = on(child, 'message', { close: ['exit'] });
  check((await messages.next()).value?.[0]);
  const figures = (await messages.next()).value?.[0];
  if (!figures) throw new Error(`No figures of ${name}`);
  return figures as Warm; // as measure.mjs sends them
}

/** All of them, from a different one on in each round, so that a busy machine is unfair to all alike. */
export function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}
