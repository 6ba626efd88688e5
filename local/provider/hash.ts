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
