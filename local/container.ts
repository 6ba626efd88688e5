/** One process of one function: it loads the bundle once and takes one event at a time, as on Lambda. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ACCOUNT_ID } from '../http-api/event.ts';
import { isRecord } from '../shared/platform/is-record.ts';
import type { ProcessOutcome } from './payload.ts';
import type { PreparedFunction } from './workspace.ts';

export interface ContainerOptions {
  /** Arguments for Node, besides those for the function's memory. */
  readonly execArgv?: readonly string[];
  readonly freeze: boolean;
  readonly log: (line: string) => void;
}

/** Lambda's limit for loading a function (docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html). */
const INIT_TIMEOUT_MS = 10_000;
const REGION = 'us-east-1';

export class Container {
  /** True once it accepts events; false if the function could not be loaded. */
  readonly ready: Promise<boolean>;
  readonly exited: Promise<void>;
  readonly #fn: PreparedFunction;
  readonly #options: ContainerOptions;
  readonly #child: ChildProcess;
  #settle: ((outcome: ProcessOutcome) => void) | undefined;
  #isKilled = false;

  constructor(fn: PreparedFunction, options: ContainerOptions) {
    this.#fn = fn;
    this.#options = options;
    const child = startProcess(fn, options);
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#log(line));
    }
    const ready = Promise.withResolvers<boolean>();
    const exited = Promise.withResolvers<void>();
    const initTimer = setTimeout(() => this.kill(), INIT_TIMEOUT_MS);
    this.ready = ready.promise.finally(() => clearTimeout(initTimer));
    this.exited = exited.promise;
    child.on('message', (message) => {
      if (!isRecord(message)) return;
      const { type, payload } = message;
      this.#freeze();
      if (type === 'ready') ready.resolve(true);
      else if (type === 'answer' && typeof payload === 'string') this.#settle?.({ kind: 'answer', payload });
      else if (type === 'error') this.#settle?.({ kind: 'error' });
    });
    const ended = (how: string) => {
      if (!this.#isKilled) this.#log(`The process ended (${how}); the next event starts a new one`);
      this.#settle?.({ kind: 'crashed' });
      ready.resolve(false);
      exited.resolve();
    };
    child.on('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
    child.on('error', (error) => {
      if (child.pid === undefined) ended(error.message);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Passes one event, as JSON, to the function. The caller must send one at a time. After `crashed` and `timed-out` the process is gone. */
  async invoke(event: string): Promise<ProcessOutcome> {
    const timeoutMs = this.#fn.timeoutSeconds * 1000;
    const { promise, resolve } = Promise.withResolvers<ProcessOutcome>();
    this.#settle = resolve;
    const timer = setTimeout(() => {
      this.#log(`Task timed out after ${this.#fn.timeoutSeconds.toFixed(2)} seconds`);
      this.kill();
      resolve({ kind: 'timed-out' });
    }, timeoutMs);
    if (this.#options.freeze) this.#child.kill('SIGCONT');
    const message = { event, awsRequestId: randomUUID(), deadline: Date.now() + timeoutMs };
    // If the process is gone, its exit event reports it.
    this.#child.send(message, () => {});
    const outcome = await promise;
    clearTimeout(timer);
    this.#settle = undefined;
    return outcome;
  }

  /** Ends the process at once, even a stopped one. */
  kill(): void {
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
  }

  // As on Lambda, the process is frozen as soon as its response has arrived.
  #freeze(): void {
    if (this.#options.freeze) this.#child.kill('SIGSTOP');
  }

  #log(line: string): void {
    this.#options.log(`[${this.#fn.name}] ${line}`);
  }
}

function startProcess(fn: PreparedFunction, { execArgv = [] }: ContainerOptions): ChildProcess {
  const context = {
    functionName: fn.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:function:${fn.name}`,
    memoryLimitInMB: String(fn.memoryMb),
    logGroupName: `/aws/lambda/${fn.name}`,
    logStreamName: 'local',
  };
  const start = { taskRoot: fn.taskRoot, handler: fn.handler, context };
  return fork(join(import.meta.dirname, 'runtime.mjs'), [JSON.stringify(start)], {
    cwd: fn.taskRoot,
    // The function inherits none of this process's environment.
    env: {
      ...fn.environment,
      AWS_LAMBDA_FUNCTION_NAME: fn.name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memoryMb),
      AWS_REGION: REGION,
      LAMBDA_TASK_ROOT: fn.taskRoot,
      PATH: '/usr/local/bin:/usr/bin:/bin',
      TZ: ':UTC',
    },
    execArgv: [`--max-old-space-size=${fn.memoryMb}`, ...execArgv],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Its own process group: Ctrl-C in the terminal reaches only the service, which then ends its functions.
    detached: true,
  });
}
