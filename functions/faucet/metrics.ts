import { addToCount, type Counter } from '../../shared/platform/metrics.ts';

/**
 * `FaucetLow`: requests that found the account low or empty. `FaucetTooDear` and `FaucetDaySpent`: refusals at the fee
 * ceiling and the daily limit. `FaucetStuck`: requests that found a transfer unmined for ten minutes, or rejected for
 * its fee. `FaucetNonceLost`: status requests for a transfer whose nonce another transaction used.
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
