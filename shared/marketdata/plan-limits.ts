import { lifetimes } from './lifetimes.ts';
import type { PlanRefusal } from './provider.ts';
import type { PlanMemory } from './provider-client.ts';
import type { BaseInterval } from './window.ts';

export type HistoryKind = 'candles' | 'prices';

interface Refusal {
  readonly at: number;
  /** The plan's reach into the past then; undefined: none. */
  readonly reachMs?: number | undefined;
  /** The coin that was refused. */
  readonly coinId: string;
  /** True once another coin was refused in the same way: then it is the plan, for all coins. */
  readonly isConfirmed: boolean;
}

const RECALL_MS = 300_000;
/** A refusal's date is cut to seconds, and the provider's clock is not ours. */
const MARGIN_MS = 5_000;

/**
 * The plan's recent refusals, so that none is paid for twice, with a reach that moves with the clock. One is of one
 * coin, until the provider says the same about a second one.
 */
export class PlanLimits {
  readonly #refusals = new Map<string, Refusal>();
  #recalledAt = Number.NEGATIVE_INFINITY;

  /** Takes over what other instances were refused; at most once in a few minutes. */
  async recall(memory: PlanMemory | undefined, now = Date.now()): Promise<void> {
    if (!memory || Math.abs(now - this.#recalledAt) < RECALL_MS) return;
    await this.#recall(memory, now);
  }

  async #recall(memory: PlanMemory, now: number): Promise<void> {
    this.#recalledAt = now;
    for (const [name, text] of Object.entries(await memory.recall())) {
      const refusal = JSON.parse(text) as Refusal; // noted below, here or in another instance
      // The other's clock may be ahead.
      if (refusal.at > (this.#refusals.get(name)?.at ?? 0))
        this.#refusals.set(name, { ...refusal, at: Math.min(refusal.at, now) });
    }
  }

  async note(
    kind: HistoryKind,
    base: BaseInterval,
    coinId: string,
    { since }: PlanRefusal,
    now = Date.now(),
    memory?: PlanMemory,
  ): Promise<void> {
    const name = `${kind}_${base}`;
    const refusal = { at: now, reachMs: since === undefined ? undefined : now - since, coinId };
    if (memory) await this.#recall(memory, now);
    const last = this.#refusals.get(name);
    const before = this.#inForce(last, now);
    // What was the plan's before, and is refused again, is the plan's still.
    const isConfirmed = last?.isConfirmed === true || (before !== undefined && before.coinId !== coinId);
    const noted: Refusal = { ...refusal, isConfirmed };
    this.#refusals.set(name, noted);
    await memory?.remember(name, JSON.stringify(noted));
  }

  hasRefused(kind: HistoryKind, base: BaseInterval): boolean {
    return this.#refusals.has(`${kind}_${base}`);
  }

  /** The earliest moment that the plan is known to refuse nothing of a coin after; Infinity if it refuses everything. */
  earliest(kind: HistoryKind, base: BaseInterval, coinId: string, now = Date.now()): number {
    const refusal = this.#inForce(this.#refusals.get(`${kind}_${base}`), now);
    if (!refusal || !(refusal.isConfirmed || refusal.coinId === coinId)) return Number.NEGATIVE_INFINITY;
    return refusal.reachMs === undefined ? Number.POSITIVE_INFINITY : now - refusal.reachMs + MARGIN_MS;
  }

  #inForce(refusal: Refusal | undefined, now: number): Refusal | undefined {
    if (!refusal) return undefined;
    const forMs = refusal.isConfirmed ? lifetimes.confirmedRefusalMs : lifetimes.planRefusalMs;
    return now >= refusal.at && now < refusal.at + forMs ? refusal : undefined;
  }
}
