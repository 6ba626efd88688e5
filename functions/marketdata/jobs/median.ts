/** Of at least one number. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = Number.NaN, high = low] = [
    sorted[(sorted.length - 1) >> 1], // the same one twice, if their number is odd
    sorted[sorted.length >> 1],
  ];
  return (low + high) / 2;
}
