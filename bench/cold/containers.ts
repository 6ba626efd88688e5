/** Containers in processes of their own: the time of their start and their responses. */
import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { CpuShare } from './cpu-share.ts';

/** A function to measure, and its request. */
export interface Contestant {
  readonly name: string;
  readonly memoryMb: number;
  /** The folder of `index.mjs`. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: APIGatewayProxyEventV2;
  /** How many calls of a warm container are timed, after half as many untimed ones; none by default. */
  readonly warmCalls?: number;
}

export interface ColdFigures {
  /** Milliseconds to load the bundle, with a whole core as on Lambda. */
  readonly initMs: number;
  /** The time from the start of the process to its first answer. */
  readonly firstAnswerMs: number;
  /** User and system time of the process up to its first answer. */
  readonly processCpuMs: number;
  /** The first invocation, and its processor time. */
  readonly firstMs: number;
  readonly firstCpuMs: number;
  readonly secondMs: number;
  readonly rssBytes: number;
  /** Whether the machine was too busy to give it its share in time. */
  readonly isStale: boolean;
}

export interface WarmFigures {
  readonly p50Us: number;
  readonly p99Us: number;
}

interface Invocation {
  readonly ms: number;
  readonly cpuMs: number;
  readonly processCpuMs: number;
  readonly rssBytes: number;
  /** The return value of a Lambda behind an HTTP API. */
  readonly answer: APIGatewayProxyStructuredResultV2;
}

const BETWEEN_EVENTS_MS = 100;

/** The figures of a fresh container. `share`: of a processor, from its first invocation on. */
export async function coldFiguresOf(contestant: Contestant, share?: CpuShare): Promise<ColdFigures> {
  const started = performance.now();
  return inContainer(contestant, async (initMs, { invoke }, child) => {
    share?.holdBack(child.pid ?? 0);
    const first = await invoke();
    const firstAnswerMs = performance.now() - started;
    // Frozen, as a container is between two events.
    child.kill('SIGSTOP');
    await sleep(BETWEEN_EVENTS_MS);
    child.kill('SIGCONT');
    const second = await invoke();
    const isStale = [first, second].some(({ answer }) => answer.headers?.['x-data-quality'] === 'stale');
    const { ms: firstMs, cpuMs: firstCpuMs, processCpuMs, rssBytes } = first;
    const figures = { firstAnswerMs, processCpuMs, firstMs, firstCpuMs, rssBytes, isStale };
    return { initMs, ...figures, secondMs: second.ms };
  });
}

/** Medians of many calls to a warm container, on a whole core. */
export async function warmFiguresOf(contestant: Contestant, calls: number): Promise<WarmFigures> {
  return inContainer(contestant, async (_initMs, { invoke, time }) => {
    await invoke();
    return time(calls);
  });
}

/** The response of a fresh container. */
export async function answerOf(contestant: Contestant): Promise<Invocation['answer']> {
  return inContainer(contestant, async (_initMs, { invoke }) => (await invoke(false)).answer);
}

interface Calls {
  /** Throws unless the response is 200, if that is `expected`. */
  invoke(expected?: boolean): Promise<Invocation>;
  time(calls: number): Promise<WarmFigures>;
}

async function inContainer<T>(
  { name, folder, environment, event }: Contestant,
  use: (initMs: number, calls: Calls, child: ChildProcess) => Promise<T>,
): Promise<T> {
  const bundle = pathToFileURL(join(folder, 'index.mjs')).href;
  const child = fork(join(import.meta.dirname, 'container.mjs'), [bundle], {
    env: { ...environment },
    // Modules loaded before the bench, such as another clock, are loaded before a function too.
    execArgv: process.execArgv,
    // Metrics go to a pipe with a reader, as on Lambda.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  const messages = on(child, 'message', { close: ['exit'] });
  const next = async <Message>(): Promise<Message> => {
    const { value, done } = await messages.next();
    if (done) throw new Error(`The container of ${name} ended`);
    return value[0];
  };
  const text = JSON.stringify(event);
  try {
    const { initMs } = await next<{ initMs: number }>();
    const invoke = async (expected = true) => {
      child.send({ event: text });
      const invocation = await next<Invocation>();
      const { statusCode, body } = invocation.answer;
      if (expected && statusCode !== 200) throw new Error(`${name} answered ${statusCode}: ${body}`);
      return invocation;
    };
    const time = (calls: number) => {
      child.send({ event: text, warmUpCalls: calls / 2, calls });
      return next<WarmFigures>();
    };
    return await use(initMs, { invoke, time }, child);
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}
