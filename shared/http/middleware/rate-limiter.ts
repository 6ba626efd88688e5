export interface RateDecision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until this client's window ends. */
  readonly resetSeconds: number;
}

interface Window {
  readonly start: number;
  count: number;
}

const WINDOW_MS = 60_000;
/** About 10 MB; a container that takes one event at a time cannot meet more clients than this in a window. */
const MAX_CLIENTS = 65_536;

/** This share is forgotten at once when full: a Map is slow to find its first key after many deletions at its front. */
const FORGOTTEN_SHARE = 1 / 16;

/**
 * Fixed 60 s windows in memory, one for each client, from its first request on. Memory is bounded: when full, the
 * clients seen longest ago are forgotten, those that have used up the limit of a running window last of all.
 */
export class RateLimiter {
  readonly #limit: number;
  readonly #maxClients: number;
  readonly #now: () => number;
  // A Map keeps insertion order: the first key is the one seen longest ago.
  readonly #counting = new Map<string, Window>();
  readonly #exhausted = new Map<string, Window>();

  constructor(limit: number, { now = Date.now, maxClients = MAX_CLIENTS } = {}) {
    this.#limit = limit;
    this.#now = now;
    this.#maxClients = maxClients;
  }

  /** Counts one request of the client and says whether it may pass. */
  take(client: string): RateDecision {
    const now = this.#now();
    const window = this.#current(client, now) ?? { start: now, count: 0 };
    if (window.count >= this.#limit) return this.#decision(window, now, false);
    window.count += 1;
    this.#keep(client, window, now);
    return this.#decision(window, now, true);
  }

  /** The client's state, without counting a request. */
  peek(client: string): RateDecision {
    const now = this.#now();
    return this.#decision(this.#current(client, now) ?? { start: now, count: 0 }, now, true);
  }

  get clients(): number {
    return this.#counting.size + this.#exhausted.size;
  }

  #current(client: string, now: number): Window | undefined {
    const window = this.#counting.get(client) ?? this.#exhausted.get(client);
    // If the clock jumped back to before the window's start, the client would otherwise wait for that long.
    return window && now >= window.start && now - window.start < WINDOW_MS ? window : undefined;
  }

  #keep(client: string, window: Window, now: number): void {
    this.#counting.delete(client);
    this.#exhausted.delete(client);
    if (this.clients >= this.#maxClients) this.#forgetSome(now);
    (window.count >= this.#limit ? this.#exhausted : this.#counting).set(client, window);
  }

  #forgetSome(now: number): void {
    for (const client of this.#exhausted.keys()) {
      if (this.#current(client, now)) break;
      this.#exhausted.delete(client);
    }
    const most = this.#maxClients * (1 - FORGOTTEN_SHARE);
    for (const windows of [this.#counting, this.#exhausted]) {
      for (const client of windows.keys()) {
        if (this.clients < most) return;
        windows.delete(client);
      }
    }
  }

  #decision(window: Window, now: number, allowed: boolean): RateDecision {
    return {
      allowed,
      limit: this.#limit,
      remaining: this.#limit - window.count,
      resetSeconds: Math.ceil((window.start + WINDOW_MS - now) / 1000),
    };
  }
}
