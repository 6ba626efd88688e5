import { ApiError } from '../http/errors.ts';
import type { Purpose, Usage } from './budget.ts';

/** Leave to make one upstream request. */
export interface Grant {
  readonly allowed: true;
  /** By how much the lifetime of the answer is to be lengthened; 1: not at all. */
  readonly stretch: number;
}

export interface Denial {
  readonly allowed: false;
  /** When asking again makes sense, in milliseconds since the epoch. */
  readonly retryAt: number;
}

/** The budget of requests to the provider. Each one, repeated ones included, is paid for before it is sent. */
export interface UpstreamQuota {
  /** Spends one request, or refuses. Never throws. A crash after it wastes a request and never adds one. */
  spend(purpose?: Purpose): Promise<Grant | Denial>;
  /** The denial that this instance need not ask for, because it has been given it before. */
  known(purpose?: Purpose): Denial | undefined;
  /** What was spent when this container last looked; undefined before that. */
  readonly usage: Usage | undefined;
}

/** The longest that a lengthened lifetime gets, unless it was longer by itself. */
const MAX_LIFETIME_MS = 86_400_000;

/** The end of a lifetime from `askedAt` to `freshUntil` (ms since the epoch), lengthened as the quota says. */
export function stretched(freshUntil: number, askedAt: number, stretch: number): number {
  const lifetime = freshUntil - askedAt;
  return askedAt + Math.max(lifetime, Math.min(lifetime * stretch, MAX_LIFETIME_MS));
}

/** The 429 of a budget that is used up. */
export function budgetUsedUp({ retryAt }: Denial): ApiError {
  return ApiError.rateLimited((retryAt - Date.now()) / 1000);
}
