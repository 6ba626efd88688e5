import { normal } from './hash.ts';

/** The grid of every walk: one step is five minutes, and between two steps a walk is a straight line. */
export const STEP_MS = 300_000;
/** Every walk is 0 here: the date of the well-known prices, at a UTC midnight. */
export const EPOCH_MS = Date.UTC(2025, 8, 1);
/** 7.1 days: at its multiples a walk is known after half the halvings. */
export const COARSE_STEPS = 2 ** 11;

const TOP_LEVEL = 22; // 2^22 steps are 39.9 years, half of them on each side of the epoch
const EPOCH_STEP = 2 ** (TOP_LEVEL - 1);
const STEPS_A_YEAR = (365.25 * 86_400_000) / STEP_MS;

const BLOCK_LEVEL = 6; // 64 steps, about five hours, are computed together
const BLOCK_STEPS = 2 ** BLOCK_LEVEL;

/** The value of a walk at a whole number of steps after (before: negative) the epoch. */
export type Walk = (step: number) => number;

// A bridge over a stretch of T years has the deviation √T/2 in its middle. Stretches beyond a year count as one, so
// that a walk stays near its anchor instead of drifting away by the square root of decades.
const deviations = Array.from(
  { length: TOP_LEVEL + 1 },
  (_, level) => Math.sqrt(Math.min(2 ** level / STEPS_A_YEAR, 1)) / 2,
);

/**
 * A Brownian path as a pure function of its seed, with a deviation of about 1 a year: midpoint displacement, so any
 * instant costs at most 16 halvings and a block. The last block is kept, because the next call usually falls into it.
 * Before 2005 and after 2045 the path is flat.
 */
export function createWalk(seed: number): Walk {
  const block = new Float64Array(BLOCK_STEPS + 1);
  let blockIndex = -1;

  /** The middle of the stretch `index` of 2^level steps, from its ends. The first middle of all is the epoch. */
  function middleOf(level: number, index: number, left: number, right: number): number {
    if (level === TOP_LEVEL) return 0;
    return (left + right) / 2 + (deviations[level] ?? 0) * normal(seed, index * 32 + level);
  }

  function fillBlock(index: number, left: number, right: number): void {
    blockIndex = index;
    block[0] = left;
    block[BLOCK_STEPS] = right;
    for (let level = BLOCK_LEVEL; level > 0; level--) {
      const length = 1 << level;
      const firstStretch = index << (BLOCK_LEVEL - level);
      for (let from = 0; from < BLOCK_STEPS; from += length) {
        const stretch = firstStretch + (from >> level);
        block[from + length / 2] = middleOf(level, stretch, block[from] ?? 0, block[from + length] ?? 0);
      }
    }
  }

  return function walk(step) {
    const position = Math.min(Math.max(step + EPOCH_STEP, 0), 2 ** TOP_LEVEL - 1);
    const index = position >> BLOCK_LEVEL;
    if (index !== blockIndex) {
      let left = 0;
      let right = 0;
      for (let level = TOP_LEVEL; level > BLOCK_LEVEL; level--) {
        const stretch = position >> level;
        if (position === stretch << level) return left;
        const middle = middleOf(level, stretch, left, right);
        if ((position >> (level - 1)) & 1) left = middle;
        else right = middle;
      }
      fillBlock(index, left, right);
    }
    return block[position & (BLOCK_STEPS - 1)] ?? 0;
  };
}
