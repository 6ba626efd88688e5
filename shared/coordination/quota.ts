import { ApiError } from '../http/errors.ts';
import type { Purpose, Usage } from './budget.ts';

/** Leave to make one upstream request, or when asking again makes sense (milliseconds since the epoch). */
export type Grant = { readonly allowed: true };
export type Denial = { readonly allowed: false; readonly retryAt: number };

/** The budget of requests to a provider. Each one, repeated ones included, is reserved before it is sent. */
export interface UpstreamQuota {
  /** Takes one request from the budget, or refuses. Never throws. A crash after it wastes a request and adds none. */
  reserve(purpose?: Purpose): Promise<Grant | Denial>;
  /** The denial that this instance need not ask for, because it has been given it before. */
  known(purpose?: Purpose): Denial | undefined;
  /** The counts when this container last looked; undefined before that. */
  readonly usage: Usage | undefined;
}

export function budgetUsedUp({ retryAt }: Denial): ApiError {
  return ApiError.rateLimited((retryAt - Date.now()) / 1000);
}
