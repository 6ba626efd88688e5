import { count } from '../../platform/metrics.ts';
import { elapsedMs } from '../../platform/time.ts';
import { clientOf, namedClientOf } from '../client.ts';
import { ApiError } from '../errors.ts';
import { type PipelineMiddleware, type PipelineRequest, stateOf } from './pipeline-request.ts';

type Options = { readonly requestsPerMinute: number; readonly now?: () => number };

/**
 * Refuses a client's requests above the route's limit of a minute, or that of the client's key, with 429 and
 * `Retry-After`; every answer carries `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds).
 *
 * Ordering: after authentication, so that requests without a key do not use up an address's limit, and before
 * validation. Counts live in this container alone.
 */
export function rateLimit({ requestsPerMinute, now }: Options): PipelineMiddleware {
  const limiter = new RateLimiter(requestsPerMinute, { now });

  const take = ({ event }: PipelineRequest, requests: 0 | 1) => {
    const limit = namedClientOf(event)?.perMinute ?? requestsPerMinute;
    const decision = limiter.take(clientOf(event), requests, limit);
    const { headers } = stateOf(event);
    headers['ratelimit-limit'] = String(decision.limit);
    headers['ratelimit-remaining'] = String(decision.remaining);
    headers['ratelimit-reset'] = String(decision.resetSeconds);
    return decision;
  };

  const rateLimitBefore = (request: PipelineRequest): void => {
    const { allowed, limit, resetSeconds } = take(request, 1);
    if (allowed) return;
    count('RateLimited');
    throw ApiError.rateLimited(`this client's, ${limit} requests a minute`, resetSeconds);
  };

  const rateLimitOnError = (request: PipelineRequest): void => {
    const refusedBeforeCounting = !('ratelimit-limit' in stateOf(request.event).headers);
    if (refusedBeforeCounting) take(request, 0);
  };

  return { before: rateLimitBefore, onError: rateLimitOnError };
}

const WINDOW_MS = 60_000;
/** About 10 MB; a container that takes one event at a time cannot meet more clients than this in a window. */
const MAX_CLIENTS = 65_536;
/** The share removed at once when full, because a Map is slow to find its first key after many deletions at its front. */
const FORGOTTEN_SHARE = 1 / 16;

/** Fixed windows of 60 s from a client's first request on. When full, the clients with the oldest requests are removed. */
export class RateLimiter {
  readonly #limit: number;
  readonly #maxClients: number;
  readonly #now: () => number;
  // A Map keeps insertion order: the first key is the client with the oldest request.
  readonly #windows = new Map<string, { readonly start: number; count: number }>();

  constructor(limit: number, { now = Date.now, maxClients = MAX_CLIENTS } = {}) {
    this.#limit = limit;
    this.#now = now;
    this.#maxClients = maxClients;
  }

  get clients(): number {
    return this.#windows.size;
  }

  /** Counts a request of the client, or none; `resetSeconds` until its window ends. */
  take(client: string, requests: 0 | 1 = 1, limit = this.#limit) {
    const now = this.#now();
    const known = this.#windows.get(client);
    const isRunning = known && elapsedMs(known.start, now) < WINDOW_MS;
    const window = isRunning ? known : { start: now, count: 0 };
    const allowed = window.count < limit;
    if (requests > 0) {
      if (allowed) window.count += 1;
      this.#windows.delete(client);
      if (this.#windows.size >= this.#maxClients) this.#forgetSome();
      this.#windows.set(client, window);
    }
    return {
      allowed,
      limit,
      // The limit of the key may be lower by now.
      remaining: Math.max(0, limit - window.count),
      resetSeconds: Math.ceil((WINDOW_MS - elapsedMs(window.start, now)) / 1000),
    };
  }

  #forgetSome(): void {
    const most = this.#maxClients * (1 - FORGOTTEN_SHARE);
    for (const client of this.#windows.keys()) {
      if (this.#windows.size < most) return;
      this.#windows.delete(client);
    }
  }
}
