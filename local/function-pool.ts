/** The containers of one function, with a first-in-first-out queue in front of them. */
import { Container, type ContainerOptions, type Outcome } from './container.ts';
import type { PreparedFunction } from './workspace.ts';

export interface PoolOptions extends ContainerOptions {
  /** The most processes that may run at once. */
  readonly containers: number;
  /** Called whenever a process has started or ended. */
  readonly onChange?: () => void;
}

interface Job {
  readonly event: string;
  readonly settle: (outcome: Outcome) => void;
}

export class FunctionPool {
  readonly #fn: PreparedFunction;
  readonly #options: PoolOptions;
  readonly #queue: Job[] = [];
  readonly #running = new Set<Container>();
  readonly #idle: Container[] = [];
  #starting = 0;
  #isClosed = false;

  constructor(fn: PreparedFunction, options: PoolOptions) {
    this.#fn = fn;
    this.#options = options;
  }

  get name(): string {
    return this.#fn.name;
  }

  get pids(): number[] {
    return [...this.#running].flatMap(({ pid }) => pid ?? []);
  }

  /** Starts the first process, so that the first event finds it ready. */
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
    await Promise.all(running.map(({ exited }) => exited));
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const container = this.#idle.pop();
      if (!container) break;
      const job = this.#queue.shift();
      if (job) void this.#run(container, job);
    }
    const waiting = Math.min(
      this.#queue.length,
      this.#options.containers - this.#running.size + this.#starting,
    );
    while (this.#starting < waiting && !this.#isClosed) void this.#start();
  }

  async #run(container: Container, job: Job): Promise<void> {
    const outcome = await container.invoke(job.event);
    if (outcome.kind === 'crashed' || outcome.kind === 'timed-out') await container.exited;
    if (this.#running.has(container)) this.#idle.push(container);
    job.settle(outcome);
    this.#next();
  }

  async #start(): Promise<void> {
    this.#starting++;
    const container = new Container(this.#fn, this.#options);
    this.#running.add(container);
    this.#options.onChange?.();
    void container.exited.then(() => this.#forget(container));
    const isReady = await container.ready;
    this.#starting--;
    if (isReady && this.#running.has(container)) this.#idle.push(container);
    // A function that cannot be loaded costs one event its answer, and is loaded again for the next one.
    else this.#queue.shift()?.settle({ kind: 'crashed' });
    this.#next();
  }

  #forget(container: Container): void {
    this.#running.delete(container);
    const place = this.#idle.indexOf(container);
    if (place >= 0) this.#idle.splice(place, 1);
    this.#options.onChange?.();
  }
}
