/**
 * Lets at most `limit` starts through in any second, in this container; the others wait their turn.
 * Returns false, at once, where the turn would come later than `maxWaitMs`.
 */
export function throttle(limit: number, now: () => number = Date.now) {
  const starts: number[] = [];

  return async (maxWaitMs: number): Promise<boolean> => {
    const time = now();
    while (starts.length > 0 && ((starts[0] ?? 0) <= time - 1_000 || (starts[0] ?? 0) > time + 60_000))
      starts.shift();
    const nthBefore = starts.at(-limit);
    const turn = nthBefore === undefined ? time : Math.max(time, nthBefore + 1_000);
    if (turn - time > maxWaitMs) return false;
    starts.push(turn);
    if (turn > time) await new Promise((resolve) => setTimeout(resolve, turn - time));
    return true;
  };
}
