/** One provider as market data asks it. */
import type { Expected, Offer, Offering, PlanUsage, ProviderRequest, Received } from './provider.ts';

/** Data with the times by which it is fresh or stale, in milliseconds since the epoch. */
export interface Kept<T> extends Received<T> {
  readonly storedAt: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
}

/** What is known before a provider is asked, and who pays for the request. */
export interface FetchOptions<T> extends Expected<T> {
  /** A pseudonym of the client whose share of the budget pays; undefined: nobody's. */
  readonly client?: (() => string) | undefined;
  /** Called once the request is paid for. */
  readonly onPaid?: (() => void) | undefined;
}

export interface ProviderClient<O extends Offer = never> {
  readonly provider: Offering<O>;
  /**
   * Asks the provider, and passes the answer through the gate, which measures it by what is expected. Throws PlanRefusal,
   * UnusableAnswer, and ApiError: 404 unknown coin, 429 too many requests, 502 unreachable, 504 no answer by the deadline
   * (ms since the epoch).
   */
  fetch<T>(request: ProviderRequest<T>, deadline: number, options?: FetchOptions<T>): Promise<Received<T>>;
  /** Takes the provider's count into the budget that all instances share. Must follow the request that told it. */
  reconcile(usage: PlanUsage): Promise<void>;
}
