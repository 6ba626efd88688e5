/** One provider as market data asks it: with what is kept of it, and what all instances share. */
import type { ApiError } from '../http/errors.ts';
import type { Expected, Labels, Offer, Offering, PlanUsage, ProviderRequest, Received } from './provider.ts';
import type { BaseInterval } from './window.ts';

/** An answer in a container's cache, fresh or not. Times in milliseconds since the epoch. */
export interface Kept<T> extends Received<T> {
  readonly storedAt: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
}

export interface KeptRequest<T> extends ProviderRequest<T> {
  /** Until when an answer asked for at `askedAt` is fresh (both ms since the epoch). */
  readonly freshUntil: (askedAt: number, data: T) => number;
  /** For so long after that it may stand in for a newer one that cannot be had. */
  readonly staleForMs: number;
  /** Whether a kept answer says all that is asked for; without it those that are fresh do. */
  readonly isEnough?: (kept: Kept<T>) => Promise<boolean>;
  /** Whether a kept answer, however fresh, may be true by what is known now; without it all may. */
  readonly isUsable?: (kept: Kept<T>) => Promise<boolean>;
  /** Whether a good answer had all that this asks for; without it all do. */
  readonly wasGiven?: (held: T) => boolean;
  /** A good answer that lies ready, beside those of the caches. */
  readonly published?: Kept<T> | undefined;
  /** Another source's answer, which may stand in for a newer one, and which no newer one is measured by. */
  readonly instead?: Kept<T> | undefined;
  /** As the coin registry has it. */
  readonly isActive?: boolean | undefined;
  readonly labels?: Labels | undefined;
  /** The coin's price now, from elsewhere. */
  readonly price?: () => Promise<number | undefined>;
}

/** On whose behalf a provider is asked, and until when. */
export interface Errand {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** A pseudonym of the client whose share of the budget pays; undefined: nobody's. */
  readonly client?: (() => string) | undefined;
}

/** A load that requests for the same key share. */
export interface Loading<T> {
  /** Throws as `fetch` does. */
  wait(): Promise<Kept<T>>;
  /** The same, or undefined when `ms` run out first. */
  wait(ms: number): Promise<Kept<T> | undefined>;
  /** True once a request upstream has been paid for. */
  readonly hasStarted: boolean;
}

/** Several instances' memory of one plan's refusals: texts by name. */
export interface PlanMemory {
  recall(): Promise<Readonly<Record<string, string>>>;
  remember(name: string, text: string): Promise<void>;
}

/** A part of the history that callers asked for and our own store did not have: the latest base candles of a coin. */
export interface Wish {
  readonly id: string;
  readonly base: BaseInterval;
  /** How often it was filed. */
  readonly asked: number;
  /** When it was filed last, in milliseconds since the epoch. */
  readonly at: number;
}

/** Several instances' wishes for the history, each for a day after it was filed last. */
export interface Wishes {
  /** One small write. Never throws: a wish may be lost. */
  file(id: string, base: BaseInterval): Promise<void>;
  /** None if they cannot be looked for. */
  all(): Promise<Wish[]>;
  /** Takes a wish away that is fulfilled. Never throws. */
  clear(wish: Pick<Wish, 'id' | 'base'>): Promise<void>;
}

export interface ProviderClient<O extends Offer = never> {
  readonly provider: Offering<O>;
  readonly cache: {
    /** An answer that is kept here, fresh or not. */
    kept<T>(key: string): Kept<T> | undefined;
    /** The failure that asking now would only repeat. */
    failure(key: string): ApiError | undefined;
  };
  /** Asks, once for all that ask for the same key at the same time, here and in other instances. */
  load<T>(key: string, request: KeptRequest<T>, errand: Errand): Loading<T>;
  /** The answer that all instances share, fresh or not, without asking; undefined if there is none, or no table. */
  recall<T>(key: string): Promise<Kept<T> | undefined>;
  /**
   * Asks past all caches; the answer is measured by what is `expected`, if anything is. Throws PlanRefusal,
   * UnusableAnswer, and ApiError: 404 unknown coin, 429 too many requests, 502 unreachable, 504 no answer by the deadline
   * (ms since the epoch).
   */
  fetch<T>(
    request: ProviderRequest<T>,
    deadline: number,
    expected?: Pick<Expected<T>, 'held' | 'price'>,
  ): Promise<Received<T>>;
  /** Connects to what all instances share, ahead of the first request that needs it. Never throws. */
  prepare(): Promise<void>;
  /** Takes the provider's count into the budget that all instances share. Must follow the request that told it. */
  reconcile(usage: PlanUsage): Promise<void>;
  /** All instances' memory of the plan's refusals; undefined if they share nothing. */
  planMemory(): Promise<PlanMemory | undefined>;
  /** All instances' wishes for the history; undefined if they share nothing. */
  wishes(): Promise<Wishes | undefined>;
}
