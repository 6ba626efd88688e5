/** Real prices go down to 4e-18 dollars; the dearest coins cost some hundred thousand. */
const MAX_PRICE = 1e15;

/** By so much the provider's clock may be ahead of ours. */
export const MAX_CLOCK_LEAD_MS = 60_000;

/** The first block of Bitcoin: a time before it is in another unit. */
export const FIRST_TIME = Date.UTC(2009, 0, 3);

export function isPrice(value: number): boolean {
  return value > 0 && value < MAX_PRICE;
}
