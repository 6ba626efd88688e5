import { lifetimes } from './lifetimes.ts';
import type { PlanMemory, PlanRefusal } from './provider.ts';
import type { BaseInterval } from './window.ts';

export type HistoryKind = 'candles' | 'prices';

interface Refusal {
  readonly at: number;
  /** The plan's reach into the past then; undefined: none. */
  readonly reachMs: number | undefined;
}

const RECALL_MS = 300_000;
/** A refusal's date is cut to seconds, and the provider's clock is not ours. */
const MARGIN_MS = 5_000;

/** The plan's recent refusals, so that none is paid for twice: of every coin, with a reach that moves with the clock. */
export class PlanLimits {
  readonly #refusals = new Map<string, Refusal>();
  #recalledAt = Number.NEGATIVE_INFINITY;

  /** Takes over what other instances were refused; at most once in a few minutes. */
  async recall(memory: PlanMemory | undefined, now = Date.now()): Promise<void> {
    if (!memory || Math.abs(now - this.#recalledAt) < RECALL_MS) return;
    this.#recalledAt = now;
    for (const [name, text] of Object.entries(await memory.recall())) {
      const { at, reachMs } = JSON.parse(text) as Refusal; // noted below, here or in another instance
      // The other's clock may be ahead.
      if (at > (this.#refusals.get(name)?.at ?? 0))
        this.#refusals.set(name, { at: Math.min(at, now), reachMs });
    }
  }

  async note(
    kind: HistoryKind,
    base: BaseInterval,
    { since }: PlanRefusal,
    now = Date.now(),
    memory?: PlanMemory,
  ): Promise<void> {
    const refusal: Refusal = { at: now, reachMs: since === undefined ? undefined : now - since };
    this.#refusals.set(`${kind}_${base}`, refusal);
    await memory?.remember(`${kind}_${base}`, JSON.stringify(refusal));
  }

  hasRefused(kind: HistoryKind, base: BaseInterval): boolean {
    return this.#refusals.has(`${kind}_${base}`);
  }

  /** The earliest moment that the plan is known to refuse nothing after; Infinity if it refuses everything. */
  earliest(kind: HistoryKind, base: BaseInterval, now = Date.now()): number {
    const refusal = this.#refusals.get(`${kind}_${base}`);
    if (!refusal || now < refusal.at || now >= refusal.at + lifetimes.planRefusalMs)
      return Number.NEGATIVE_INFINITY;
    return refusal.reachMs === undefined ? Number.POSITIVE_INFINITY : now - refusal.reachMs + MARGIN_MS;
  }
}
