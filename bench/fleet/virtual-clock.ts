/** Time that passes only when nothing is left to do at a moment: days of a fleet in minutes. */

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

export interface VirtualClock {
  now(): number;
  /** Calls back at a virtual time (ms since the epoch). */
  at(time: number, run: () => void): void;
  sleep(ms: number): Promise<void>;
  /** A real operation: time stands still until it has ended. */
  during<T>(operation: Promise<T>): Promise<T>;
  /** Lets time pass up to `until`. */
  run(until: number): Promise<void>;
}

/**
 * Takes the place of the process's clock and timers. The code under test is the real one and knows nothing of it;
 * input and output go on in real time.
 */
export function installVirtualClock(start: number): VirtualClock {
  const queue: Timer[] = [];
  let now = start;
  let order = 0;
  let operations = 0;
  let idle = Promise.withResolvers<void>();

  function schedule(run: () => void, ms: number): Timer {
    order += 1;
    const timer = { at: now + Math.max(0, Number.isFinite(ms) ? ms : 0), order, run, isCancelled: false };
    push(queue, timer);
    return timer;
  }

  function repeat(run: () => void, ms: number): { current: Timer } {
    const handle: { current: Timer } = { current: schedule(tick, ms) };
    function tick() {
      handle.current = schedule(tick, ms);
      run();
    }
    return handle;
  }

  const handleOf = (cancel: () => void) => ({ cancel, ref: () => {}, unref: () => {}, hasRef: () => true });
  const cancel = (handle: { cancel?: () => void } | undefined) => handle?.cancel?.();
  Date.now = () => now;
  performance.now = () => now - start;
  process.uptime = () => (now - start) / 1000;
  Object.assign(globalThis, {
    setTimeout: (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
      const timer = schedule(() => run(...values), ms);
      return handleOf(() => {
        timer.isCancelled = true;
      });
    },
    setInterval: (run: () => void, ms = 0) => {
      const handle = repeat(run, ms);
      return handleOf(() => {
        handle.current.isCancelled = true;
      });
    },
    clearTimeout: cancel,
    clearInterval: cancel,
  });

  /** Until all that follows from the last event has happened, real operations included. */
  async function settled(): Promise<void> {
    await new Promise(setImmediate);
    while (operations > 0) {
      idle = Promise.withResolvers();
      await idle.promise;
      await new Promise(setImmediate);
    }
  }

  return {
    now: () => now,
    at: (time, run) => void schedule(run, time - now),
    sleep: (ms) => new Promise((resolve) => void schedule(resolve, ms)),
    async during(operation) {
      operations += 1;
      try {
        return await operation;
      } finally {
        operations -= 1;
        if (operations === 0) idle.resolve();
      }
    },
    async run(until) {
      for (;;) {
        await settled();
        const next = queue[0];
        if (!next || next.at > until) break;
        pop(queue);
        if (next.isCancelled) continue;
        now = Math.max(now, next.at);
        next.run();
      }
      now = Math.max(now, until);
    },
  };
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** A binary heap: the earliest is at its head. */
function push(heap: Timer[], timer: Timer): void {
  let place = heap.length;
  heap.push(timer);
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = heap[parent];
    if (!above || !isBefore(timer, above)) break;
    heap[place] = above;
    place = parent;
  }
  heap[place] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let place = 0;
  for (;;) {
    const left = 2 * place + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    if (!a) break;
    const child = b && isBefore(b, a) ? left + 1 : left;
    const below = heap[child];
    if (!below || !isBefore(below, last)) break;
    heap[place] = below;
    place = child;
  }
  heap[place] = last;
}
