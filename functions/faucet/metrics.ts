import { addToCount, type Counter } from '../../shared/platform/metrics.ts';

/** `FaucetLow`: grants that left little, or found none. */
export const faucetCounts = ['FaucetGranted', 'FaucetLow'] as const;

export const count: Counter<(typeof faucetCounts)[number]> = addToCount;
