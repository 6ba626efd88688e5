/** Time that advances only when no work is left: days of a fleet in minutes. */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The function or job that a simulation step works for, such as `job snapshot`: processor time and requests are counted
 * by it.
 */
export const owner = new AsyncLocalStorage<string>();

interface Timer {
  readonly at: number;
  readonly owner: string;
  readonly run: () => void;
  isCancelled: boolean;
}

/** Operations of Node's own that take real time, such as reading a file. */
const REAL_WORK = /^(FSReq|ZLIB|Zlib)/;
const nextTurn = () => new Promise(setImmediate);

export class VirtualClock {
  /** Milliseconds of processor time of the main thread, by owner. */
  readonly cpuMs = new Map<string, number>();
  /** The next one is last. */
  readonly #timers: Timer[] = [];
  #now: number;
  #operations = 0;

  constructor(start: number) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  /** Calls back after some virtual milliseconds, for the current owner. */
  after(ms: number, run: () => void): { cancel(): void } {
    const at = this.#now + Math.max(0, Number.isFinite(ms) ? ms : 0);
    const timer = { at, owner: owner.getStore() ?? 'bench', run, isCancelled: false };
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#timers[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
    return {
      cancel() {
        timer.isCancelled = true;
      },
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Runs a real operation: time stands still until it has ended. */
  async during<T>(operation: Promise<T>): Promise<T> {
    this.#operations += 1;
    return operation.finally(() => {
      this.#operations -= 1;
    });
  }

  /** Advances time up to `until`. */
  async run(until: number): Promise<void> {
    for (let next = this.#timers.at(-1); next && next.at <= until; next = this.#timers.at(-1)) {
      this.#timers.pop();
      if (next.isCancelled) continue;
      this.#now = next.at;
      const before = process.threadCpuUsage();
      owner.run(next.owner, next.run);
      await nextTurn();
      const { user, system } = process.threadCpuUsage(before);
      this.cpuMs.set(next.owner, (this.cpuMs.get(next.owner) ?? 0) + (user + system) / 1000);
      await nextTurn();
      // Everything that follows from the step, including real operations, whose time has no owner.
      while (this.#operations > 0 || process.getActiveResourcesInfo().some((kind) => REAL_WORK.test(kind)))
        await nextTurn();
    }
    this.#now = until;
  }
}

/** A function's view of time: it gets these instead of Node's. */
export function timeOf(clock: VirtualClock) {
  const start = clock.now();
  const handleOf = (cancel: () => void) => ({
    ...{ cancel, ref() {}, unref() {}, hasRef: () => true, refresh() {} },
    [Symbol.dispose]: cancel,
  });
  const clear = (handle: ReturnType<typeof handleOf> | undefined) => handle?.cancel?.();
  const setTimeout = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
    handleOf(clock.after(ms, () => run(...values)).cancel);
  const sleep = (ms: number, value?: unknown) => clock.sleep(ms).then(() => value);
  const setInterval = (run: () => void, ms: number) => {
    let next = clock.after(ms, again);
    function again() {
      next = clock.after(ms, again);
      run();
    }
    return handleOf(() => next.cancel());
  };
  const timers = { setTimeout, clearTimeout: clear, setInterval, clearInterval: clear };
  class VirtualDate extends Date {
    constructor(...given: [] | [number]) {
      super(...((given.length > 0 ? given : [clock.now()]) as [number])); // or several, as Date takes them
    }
    static override now = clock.now;
  }
  class VirtualSignal extends AbortSignal {
    static override timeout(ms: number): AbortSignal {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms);
      return controller.signal;
    }
  }
  const performance = { now: () => clock.now() - start, timeOrigin: start };
  const promised = { setTimeout: sleep, setImmediate: (value?: unknown) => nextTurn().then(() => value) };
  return {
    globals: { ...timers, Date: VirtualDate, AbortSignal: VirtualSignal, performance },
    modules: { 'node:timers': { ...timers, setImmediate }, 'node:timers/promises': promised },
  };
}
