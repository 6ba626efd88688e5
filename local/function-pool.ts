/** The processes of one function, with a FIFO queue in front of them. */

import { Container, type ContainerOptions } from './container.ts';
import type { ProcessOutcome } from './payload.ts';
import type { PreparedFunction } from './workspace.ts';

export interface PoolOptions extends ContainerOptions {
  readonly name: string;
  /** Copies the function's files; called once, before the first process starts. */
  readonly prepare: () => Promise<PreparedFunction>;
  /** The most processes that may run at once. */
  readonly containers: number;
  /** A process without an event for this long ends; Infinity: never. */
  readonly idleMs: number;
  /** Called whenever a process has started or ended. */
  readonly onChange?: () => void;
}

interface Job {
  readonly event: string;
  readonly settle: (outcome: ProcessOutcome) => void;
}

export class FunctionPool {
  readonly #options: PoolOptions;
  readonly #queue: Job[] = [];
  readonly #running = new Set<Container>();
  /** The process that has waited longest comes first, each with the timer that ends it. */
  readonly #idle = new Map<Container, NodeJS.Timeout | undefined>();
  /** The running processes. */
  #starting = 0;
  #prepared: Promise<PreparedFunction> | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get pids(): number[] {
    return [...this.#running].flatMap(({ pid }) => pid ?? []);
  }

  /** Starts a process before the first event. */
  async warm(): Promise<void> {
    await this.#start(await this.#prepare());
  }

  /** Returns the event's outcome; also `timed-out` if the integration's time ran out before its turn or response. */
  async invoke(event: string, integrationTimeoutMs: number): Promise<ProcessOutcome> {
    const { promise, resolve } = Promise.withResolvers<ProcessOutcome>();
    const job: Job = { event, settle: resolve };
    // API Gateway stops waiting; the function does not know, and keeps its process until it finishes.
    const timer = setTimeout(() => {
      const place = this.#queue.indexOf(job);
      if (place >= 0) this.#queue.splice(place, 1);
      resolve({ kind: 'timed-out' });
    }, integrationTimeoutMs);
    this.#queue.push(job);
    void this.#next();
    return promise.finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.splice(0)) job.settle({ kind: 'crashed' });
    const running = [...this.#running];
    for (const container of running) container.kill();
    await Promise.all([...running.map(({ exited }) => exited), this.#prepared?.catch(() => {})]);
  }

  async #next(): Promise<void> {
    while (this.#queue.length > 0) {
      const container = [...this.#idle.keys()].at(-1);
      const job = container && this.#queue.shift();
      if (!job) break;
      this.#take(container);
      void this.#run(container, job);
    }
    if (this.#queue.length === 0) return;
    try {
      const fn = await this.#prepare();
      const { containers } = this.#options;
      while (this.#starting < this.#queue.length && this.#running.size < containers && !this.#isClosed)
        void this.#start(fn);
    } catch (error) {
      this.#options.log(`[${this.name}] ${error}`);
      this.#queue.shift()?.settle({ kind: 'crashed' }); // the next event tries again
    }
  }

  #prepare(): Promise<PreparedFunction> {
    this.#prepared ??= this.#options.prepare().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  async #run(container: Container, job: Job): Promise<void> {
    const outcome = await container.invoke(job.event);
    if (outcome.kind === 'crashed' || outcome.kind === 'timed-out') await container.exited;
    if (this.#running.has(container)) this.#rest(container);
    job.settle(outcome);
    void this.#next();
  }

  /** Returns when the process accepts events or has ended. */
  async #start(fn: PreparedFunction): Promise<void> {
    const container = new Container(fn, this.#options);
    this.#running.add(container);
    this.#starting++;
    this.#options.onChange?.();
    void container.exited.then(() => this.#forget(container));
    const isReady = await container.ready;
    this.#starting--;
    if (isReady && this.#running.has(container)) this.#rest(container);
    // A function that fails to load fails one event, and is loaded again for the next.
    else this.#queue.shift()?.settle({ kind: 'crashed' });
    void this.#next();
  }

  #rest(container: Container): void {
    const { idleMs } = this.#options;
    const timer = Number.isFinite(idleMs) ? setTimeout(() => this.#end(container), idleMs) : undefined;
    this.#idle.set(container, timer?.unref());
  }

  /** Removes it from the waiting processes, for an event or because it has ended. */
  #take(container: Container): void {
    clearTimeout(this.#idle.get(container));
    this.#idle.delete(container);
  }

  #end(container: Container): void {
    container.kill();
    this.#forget(container); // its slot is free
  }

  #forget(container: Container): void {
    this.#take(container);
    if (this.#running.delete(container)) this.#options.onChange?.();
  }
}
