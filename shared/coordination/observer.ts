import type { Usage } from './budget.ts';

/** What the fleet's shared parts tell whoever measures; nothing in it says who asked for what. */
export type FleetEvent =
  /** The table failed or was too slow; what it was needed for carries on without it. */
  | { readonly kind: 'table-failure'; readonly operation: 'get' | 'update' }
  /** A request was paid for, or refused; `usage` as the table said. */
  | { readonly kind: 'spend'; readonly outcome: 'granted' | 'refused' | 'pocket'; readonly usage?: Usage }
  /** What the shared cache did for one miss of the container's own. */
  | { readonly kind: 'shared-cache'; readonly outcome: SharedOutcome };

export type SharedOutcome =
  /** A fresh answer of another instance. */
  | 'hit'
  /** This instance asked upstream. */
  | 'asked'
  /** It had waited for another instance, which then brought the answer. */
  | 'waited'
  /** A stale answer stood in. */
  | 'stale'
  /** An error, of this instance's own request or told by another. */
  | 'failed'
  /** It took over from an instance that died. */
  | 'takeover'
  /** The answer does not fit into an item. */
  | 'too-large';

export type Observe = (event: FleetEvent) => void;

export const unobserved: Observe = () => {};
