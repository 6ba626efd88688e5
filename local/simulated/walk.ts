/** Randomness as pure functions of a seed, and the random walk that every simulated price follows. */

/** Turns a text into a 32-bit seed (FNV-1a, finalized so that similar texts give unrelated seeds). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return finalize(hash);
}

/** Mixes a seed and an integer into 32 unsigned bits. */
function mix(seed: number, value: number): number {
  return finalize(seed ^ Math.imul(value, 0x9e3779b1)) >>> 0;
}

/** The finalizer of MurmurHash3: every bit of the value moves every bit of the result. */
function finalize(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** A number from 0 up to, not including, 1 that depends only on its arguments. */
export function uniform(seed: number, value: number): number {
  return mix(seed, value) / 2 ** 32;
}

/** Approximately normal, mean 0 and variance 1: the sum of four bytes, which costs one hash and no logarithm. */
export function normal(seed: number, value: number): number {
  const bits = mix(seed, value);
  const sum = (bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24);
  return (sum - 510) / 147.8;
}

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
