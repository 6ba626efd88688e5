import { addToCount, type Counter } from '../../shared/platform/metrics.ts';

/**
 * `FaucetLow`: requests that found the account low or empty. `FaucetTooDear` and `FaucetDaySpent`: refusals, at the
 * ceilings of the fee and of the day. `FaucetStuck`: requests that found a transfer unmined for ten minutes, or refused
 * for its fee. `FaucetNonceLost`: status requests for a transfer whose nonce another transaction used.
 */
export const faucetCounts = [
  'FaucetGranted',
  'FaucetLow',
  'FaucetTooDear',
  'FaucetDaySpent',
  'FaucetStuck',
  'FaucetNonceLost',
] as const;

export const count: Counter<(typeof faucetCounts)[number]> = addToCount;
