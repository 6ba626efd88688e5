/** One provider as market data uses it. */
import type { Expected, Offer, Offering, PlanUsage, ProviderRequest, Received } from './provider.ts';

/** Data with the times by which it is fresh or stale, in milliseconds since the epoch. */
export interface Kept<T> extends Received<T> {
  readonly storedAt: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
}

/** What is known before a request to a provider, and who pays for it. */
export interface FetchOptions<T> extends Expected<T> {
  /** A pseudonym of the client that is charged; undefined: no client. */
  readonly client?: (() => string) | undefined;
  /** Called before the request, or its retry, is paid for; prevents it by throwing. */
  readonly beforePaying?: (() => void) | undefined;
}

export interface ProviderClient<O extends Offer = never> {
  readonly provider: Offering<O>;
  /**
   * Requests data and passes it through the gate, which compares it with what is known. Throws PlanRefusal, UnusableAnswer, and
   * ApiError: 404 unknown coin, 429 too many requests, 502 unreachable, 504 no response by the deadline (ms since the epoch).
   */
  fetch<T>(request: ProviderRequest<T>, deadline: number, options?: FetchOptions<T>): Promise<Received<T>>;
  /** Takes the provider's count into the shared budget. Must follow the request that returned it. */
  reconcile(usage: PlanUsage): Promise<void>;
}
