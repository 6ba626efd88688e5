const PLAUSIBLE_SHARE = 0.8;

/** False for a list that lost more than a fifth of the one before: a mistake of the provider's or of ours. */
export function keepsMost(count: number, before: number): boolean {
  return count >= before * PLAUSIBLE_SHARE;
}
