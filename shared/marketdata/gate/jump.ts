/** A price that is three times as high, or a third, of the one before. */
export const JUMP = 3;
/** A price that is more than 1.5 times another is another price. */
const NEAR = 1.5;
const SHARE = 0.1;

/** True if a tenth of all prices jumped at once: a unit or a row was mixed up. One coin alone may jump, and real ones do. */
export function isJump(pairs: Iterable<readonly [before: number, after: number]>): boolean {
  let all = 0;
  let jumped = 0;
  for (const [before, after] of pairs) {
    all += 1;
    if (isFar(before, after)) jumped += 1;
  }
  return jumped > 1 && jumped >= all * SHARE;
}

/** True of two prices of which one is three times the other, or more. */
export function isFar(before: number, after: number): boolean {
  return after >= before * JUMP || after * JUMP <= before;
}

/** True of two prices of which neither is more than 1.5 times the other. */
export function isNear(before: number, after: number): boolean {
  return after <= before * NEAR && before <= after * NEAR;
}
