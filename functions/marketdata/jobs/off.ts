/** 1.02 is farther from 1 than 0.02, as doubles have it. */
const ROUNDING = 1e-9;

/** Whether a price is no farther off the expected one than this part of it. */
export function isWithin(part: number, price: number, expected: number): boolean {
  return Math.abs(price / expected - 1) <= part + ROUNDING;
}
