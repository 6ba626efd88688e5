import { ApiError, ShareUsedUp } from '../http/errors.ts';
import type { Purpose, Usage } from './budget.ts';

/** Leave to make one upstream request, or when asking again makes sense (milliseconds since the epoch). */
export type Grant = { readonly allowed: true };
/** `of`: whose limit is reached, the whole service's or the one client's for whom it would ask. */
export type Denial = { readonly allowed: false; readonly retryAt: number; readonly of: 'service' | 'client' };

/** The budget of requests to a provider. Each one, repeated ones included, is reserved before it is sent. */
export interface UpstreamQuota {
  /**
   * Takes one request from the budget, and from the share of the client on whose behalf it is made, or refuses. Never
   * throws. A crash after it wastes a request and adds none.
   */
  reserve(purpose?: Purpose, client?: string): Promise<Grant | Denial>;
  /** The denial that this instance need not ask for, because it has been given it before. */
  known(purpose?: Purpose, client?: string): Denial | undefined;
  /**
   * Lowers what is left of the month's budget to what the provider says is left, or raises it again if that was too
   * low. Own requests are counted in any case. Absent where nothing is shared.
   */
  reconcile?(left: number): Promise<void>;
  /** The counts when this container last looked; undefined before that. */
  readonly usage: Usage | undefined;
}

export function denied({ retryAt, of }: Denial): ApiError {
  const seconds = (retryAt - Date.now()) / 1000;
  if (of === 'service') {
    return ApiError.rateLimited("the service's upstream budget", seconds);
  }
  const whose = "this client's share of the service's upstream budget for this hour";
  const { message, headers } = ApiError.rateLimited(whose, seconds);
  return new ShareUsedUp(429, message, { headers });
}

/** For how long a provider is left alone after a 429 that names no time. */
export const DEFAULT_PAUSE_MS = 10_000;
/** The longest that a provider's own limit is kept to: the longest ban that any of them gives. */
export const LONGEST_PAUSE_MS = 3 * 24 * 3_600_000;

/** The provider's own limit. */
export function limitedBy(title: string, retryAfterSeconds: number): ApiError {
  return ApiError.rateLimited(`the provider's (${title})`, retryAfterSeconds);
}
