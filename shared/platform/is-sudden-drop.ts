const LARGEST_DROP = 0.2;

/** True for a list that lost more than a fifth of the one before: a mistake of the provider's or of ours. */
export function isSuddenDrop(count: number, before: number): boolean {
  return count < before * (1 - LARGEST_DROP);
}
