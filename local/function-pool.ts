/** The containers of one function, with a first-in-first-out queue in front of them. */
import { Container, type ContainerOptions, type Outcome } from './container.ts';
import type { PreparedFunction } from './workspace.ts';

export interface PoolOptions extends ContainerOptions {
  readonly name: string;
  /** Puts the function's files in place; called once, before the first process starts. */
  readonly prepare: () => Promise<PreparedFunction>;
  /** The most processes that may run at once. */
  readonly containers: number;
  /** A process without an event for so long ends; Infinity: never. */
  readonly idleMs: number;
  /** Called whenever a process has started or ended. */
  readonly onChange?: () => void;
}

interface Job {
  readonly event: string;
  readonly settle: (outcome: Outcome) => void;
}

export class FunctionPool {
  readonly #options: PoolOptions;
  #prepared: Promise<PreparedFunction> | undefined;
  readonly #queue: Job[] = [];
  readonly #running = new Set<Container>();
  /** The one that waits the longest first, each with the timer that ends it. */
  readonly #idle = new Map<Container, NodeJS.Timeout | undefined>();
  /** Of the processes that may run, those that take no events yet, and of these those that have no process yet. */
  #starting = 0;
  #preparing = 0;
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

  /** Starts a process before there is an event. */
  async warm(): Promise<void> {
    await this.#start();
  }

  /** Returns the event's outcome; `timed-out` also when the integration's time ran out before its turn or answer. */
  async invoke(event: string, integrationTimeoutMs: number): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const job: Job = { event, settle: resolve };
    // API Gateway stops waiting; the function does not know, and keeps its process until it is done.
    const timer = setTimeout(() => {
      const place = this.#queue.indexOf(job);
      if (place >= 0) this.#queue.splice(place, 1);
      resolve({ kind: 'timed-out' });
    }, integrationTimeoutMs);
    this.#queue.push(job);
    this.#next();
    const outcome = await promise;
    clearTimeout(timer);
    return outcome;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.splice(0)) job.settle({ kind: 'crashed' });
    const running = [...this.#running];
    for (const container of running) container.kill();
    await Promise.all([...running.map(({ exited }) => exited), this.#prepared?.catch(() => {})]);
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const container = [...this.#idle.keys()].at(-1);
      if (!container) break;
      this.#take(container);
      const job = this.#queue.shift();
      if (job) void this.#run(container, job);
    }
    const free = this.#options.containers - this.#running.size - this.#preparing;
    const waiting = Math.min(this.#queue.length, free + this.#starting);
    while (this.#starting < waiting && !this.#isClosed) void this.#start();
  }

  async #run(container: Container, job: Job): Promise<void> {
    const outcome = await container.invoke(job.event);
    if (outcome.kind === 'crashed' || outcome.kind === 'timed-out') await container.exited;
    if (this.#running.has(container)) this.#rest(container);
    job.settle(outcome);
    this.#next();
  }

  async #start(): Promise<void> {
    this.#starting++;
    const container = await this.#newContainer();
    const isReady = await container?.ready;
    this.#starting--;
    if (container && isReady && this.#running.has(container)) this.#rest(container);
    // A function that cannot be loaded costs one event its answer, and is loaded again for the next one.
    else this.#queue.shift()?.settle({ kind: 'crashed' });
    this.#next();
  }

  /** Undefined if its files could not be put in place, or the pool was closed meanwhile. */
  async #newContainer(): Promise<Container | undefined> {
    this.#preparing++;
    this.#prepared ??= this.#options.prepare();
    const fn = await this.#prepared.catch((error: unknown) => {
      this.#options.log(`[${this.name}] ${error}`);
      this.#prepared = undefined; // the next event tries again
    });
    this.#preparing--;
    if (!fn || this.#isClosed) return undefined;
    const container = new Container(fn, this.#options);
    this.#running.add(container);
    this.#options.onChange?.();
    void container.exited.then(() => this.#forget(container));
    return container;
  }

  #rest(container: Container): void {
    const { idleMs } = this.#options;
    const timer = Number.isFinite(idleMs) ? setTimeout(() => this.#end(container), idleMs) : undefined;
    this.#idle.set(container, timer?.unref());
  }

  /** From those that wait, for an event or because it has ended. */
  #take(container: Container): void {
    clearTimeout(this.#idle.get(container));
    this.#idle.delete(container);
  }

  #end(container: Container): void {
    this.#take(container);
    this.#running.delete(container); // its place is free
    container.kill();
  }

  #forget(container: Container): void {
    this.#running.delete(container);
    this.#take(container);
    this.#options.onChange?.();
  }
}
