import type { BaseInterval } from '../marketdata/window.ts';
import type { PlanRefusal } from './answers.ts';

export type HistoryKind = 'candles' | 'prices';

interface Refusal {
  readonly at: number;
  /** How far back the plan reached then; undefined: not at all. */
  readonly reachMs: number | undefined;
}

const REMEMBER_MS = 3_600_000;
/** A refusal's date is cut to seconds, and the provider's clock is not ours. */
const MARGIN_MS = 5_000;

/**
 * What the plan has refused lately, so that it is not paid for again at every request. A plan is the same for every
 * coin, and its reach moves on with the clock.
 */
export class PlanLimits {
  readonly #refusals = new Map<string, Refusal>();

  note(kind: HistoryKind, base: BaseInterval, { since }: PlanRefusal, now = Date.now()): void {
    const reachMs = since === undefined ? undefined : now - since;
    this.#refusals.set(`${kind}/${base}`, { at: now, reachMs });
  }

  /** The earliest moment that the plan is known to refuse nothing after; Infinity where it refuses everything. */
  earliest(kind: HistoryKind, base: BaseInterval, now = Date.now()): number {
    const refusal = this.#refusals.get(`${kind}/${base}`);
    if (!refusal || now < refusal.at || now >= refusal.at + REMEMBER_MS) return Number.NEGATIVE_INFINITY;
    return refusal.reachMs === undefined ? Number.POSITIVE_INFINITY : now - refusal.reachMs + MARGIN_MS;
  }
}
