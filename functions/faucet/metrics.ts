import { addToCount, type Counter } from '../../shared/platform/metrics.ts';

/**
 * `FaucetLow`: grants that left little, or found none. `FaucetTooDear` and `FaucetDaySpent`: refusals, at the ceiling of
 * the fee and of the day. `FaucetReplaced`: transfers signed anew at a higher fee; `FaucetStuck`: requests that found some
 * which could not be, or too many unmined ones. `FaucetNonceLost`: grants whose nonce another transaction has.
 */
export const faucetCounts = [
  'FaucetGranted',
  'FaucetLow',
  'FaucetTooDear',
  'FaucetDaySpent',
  'FaucetReplaced',
  'FaucetStuck',
  'FaucetNonceLost',
] as const;

export const count: Counter<(typeof faucetCounts)[number]> = addToCount;
