import type { ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { startProcess } from '../deployed/process.ts';
import type { CpuShare } from './cpu-share.ts';

/** Milliseconds of one container, from loading the bundle to its second answer. */
export interface ColdFigures {
  readonly initMs: number;
  readonly firstMs: number;
  /** Of the first invocation. */
  readonly firstCpuMs: number;
  readonly secondMs: number;
  /** Whether it did not get all that it wanted in time. */
  readonly isStale: boolean;
}

export interface Container {
  /** Holds `index.mjs`. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined for a job, which takes no event. */
  readonly event?: APIGatewayProxyEventV2;
  /** Throws if the answer is not the expected one. */
  readonly check?: (answer: unknown) => void;
}

interface Invocation {
  readonly ms: number;
  readonly cpuMs: number;
  readonly answer: unknown;
}

const BETWEEN_EVENTS_MS = 100;

/** Starts a container, invokes it once at full speed, and ends it. */
export async function invokeOnce(container: Container): Promise<void> {
  await inContainer(container, async (_initMs, invoke) => void (await invoke()));
}

/** The figures of a fresh container, which has the whole core for its init, as on Lambda, and then its share. */
export async function coldFiguresOf(container: Container, share: CpuShare): Promise<ColdFigures> {
  return inContainer(container, async (initMs, invoke, child) => {
    share.holdBack(child.pid ?? 0);
    const first = await invoke();
    // Frozen, as a container is between two events.
    child.kill('SIGSTOP');
    await sleep(BETWEEN_EVENTS_MS);
    child.kill('SIGCONT');
    const second = await invoke();
    const isStale = [first, second].some(
      ({ answer }) => (answer as APIGatewayProxyStructuredResultV2).headers?.['x-data-quality'] === 'stale', // a route's
    );
    return { initMs, firstMs: first.ms, firstCpuMs: first.cpuMs, secondMs: second.ms, isStale };
  });
}

async function inContainer<T>(
  { folder, environment, event, check }: Container,
  use: (initMs: number, invoke: () => Promise<Invocation>, child: ChildProcess) => Promise<T>,
): Promise<T> {
  const bundle = pathToFileURL(join(folder, 'index.mjs')).href;
  const child = startProcess('cold/container.mjs', bundle, environment);
  const messages = on(child, 'message', { close: ['exit'] });
  const next = async <Message>(): Promise<Message> => {
    const { value, done } = await messages.next();
    if (done) throw new Error(`The function in ${folder} ended`);
    return value[0];
  };
  try {
    const { initMs } = await next<{ initMs: number }>();
    const invoke = async () => {
      child.send(event ?? {});
      const invocation = await next<Invocation>();
      check?.(invocation.answer);
      return invocation;
    };
    return await use(initMs, invoke, child);
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}
