import type { UpstreamQuota } from '../../../shared/quota/quota.ts';
import { type CountingProvider, madeAt } from './counting-provider.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The free plan lists so many tickers in one answer. */
export const SNAPSHOT_COINS = 2_000;
export const SNAPSHOT_INTERVAL_MS = 600_000;
/** Past this a ticker from a snapshot is marked stale. */
const FRESH_MS = 2 * SNAPSHOT_INTERVAL_MS;

/**
 * What a scheduled request for all tickers costs and gives: one upstream request in an interval, paid for like any
 * other, and tickers as old as the last one that succeeded. The seam for the real snapshot.
 */
export class SnapshotModel {
  readonly #clock: VirtualClock;
  readonly #provider: CountingProvider;
  readonly #quota: UpstreamQuota | undefined;
  #madeAt: number | undefined;
  #sent = 0;

  /** Without a quota its requests are counted, and paid for in advance. */
  constructor(clock: VirtualClock, provider: CountingProvider, quota: UpstreamQuota | undefined) {
    this.#clock = clock;
    this.#provider = provider;
    this.#quota = quota;
  }

  start(from: number, end: number): void {
    for (let time = from + 5_000; time < end; time += SNAPSHOT_INTERVAL_MS) {
      this.#clock.at(time, () => void this.#refresh());
    }
  }

  /** The tickers that a container has at a moment. */
  at(now: number): { madeAt: number; stale: boolean } | undefined {
    return this.#madeAt === undefined
      ? undefined
      : { madeAt: this.#madeAt, stale: now - this.#madeAt > FRESH_MS };
  }

  /** How many requests were sent since this was last asked. */
  takeSent(): number {
    const sent = this.#sent;
    this.#sent = 0;
    return sent;
  }

  async #refresh(): Promise<void> {
    const grant = await this.#quota?.spend('scheduled');
    if (grant && !grant.allowed) return;
    this.#sent += 1;
    const askedAt = this.#clock.now();
    if (await this.#provider.tickers()) this.#madeAt = madeAt(askedAt);
  }
}
