/** Nothing is asked for more often than that. */
export const SHORTEST_MS = 15_000;
const LONGEST_MS = 15 * 60_000;

/** When something was last asked for, and how often in a row in vain. */
export interface Asked {
  readonly at: number;
  readonly failures: number;
}

/** When to ask anew: at the end of a lifetime, after failures ever later, all in milliseconds since the epoch. */
export function dueAt(freshUntil: number, { at, failures }: Asked): number {
  return Math.max(freshUntil, at + Math.min(SHORTEST_MS * 2 ** failures, LONGEST_MS));
}

/** How the asking went. */
export function askedAt(at: number, { failures }: Asked, isAnswered: boolean): Asked {
  return { at, failures: isAnswered ? 0 : failures + 1 };
}

export const neverAsked: Asked = { at: Number.NEGATIVE_INFINITY, failures: 0 };
